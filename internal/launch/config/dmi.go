package config

import (
	"fmt"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// DefaultSeats is how many processes can ever be in a run of dmimw if the user does not choose the number.
const DefaultSeats = 65536

// settingsOfDMI returns the options that dmimw alone has, and those that it spells in its own way.
func settingsOfDMI() []setting {
	return []setting{
		{name: "nodefile", short: []string{"f"}, kind: kindText, value: "FILE", programs: Dmimw, often: Dmimw,
			resize: ofAdded, help: "node file, with one host per line: NAME, NAME slots=N or NAME:N; by default this host"},
		{name: "np", short: []string{"n"}, kind: kindCount, value: "N", programs: Dmimw, often: Dmimw,
			resize: ofCommand, help: "number of processes, which take the lines of the node file in order, and again from the top; by default the number of lines, or 1"},
		{name: "startermemsize-dl", short: []string{"pool"}, kind: kindSize, value: "SIZE", env: envvar.DMIPool, programs: Dmimw, often: Dmimw,
			resize: ofAdded, help: "memory pool of each process in bytes, at least 64 MiB; units k, m and g are powers of 1024; by default 32g, but at most half the memory of a host for all its processes"},
		{name: "seats", short: []string{"seats"}, kind: kindCount, value: "N", programs: Dmimw,
			help: "how many processes can ever be in the run, by default 65536; not less than -n"},
		{name: "net", short: []string{"net"}, kind: kindNet, value: "NET", env: envvar.Net, programs: Dmimw,
			help: "fabrics to use: auto, shm or tcp"},
		{name: "to", short: []string{"to"}, kind: kindTarget, value: "RUN", programs: Dmimw, often: Dmimw,
			resize: ofCommand, help: "with -n: start so many more processes of a run, which ask to join; RUN is the process id of its dmimw, HOST:RUN, or auto for the only run of this user on the host"},
		{name: "leave", short: []string{"leave"}, kind: kindRanks, value: "IDS", programs: Dmimw, often: Dmimw,
			resize: ofCommand, help: "with -to: ask processes of the run to leave, such as 3,5-7; the program lets them go"},
		{name: "nodes", short: []string{"nodes"}, kind: kindFlag, programs: Dmimw,
			resize: ofCommand, help: "with -to: list the processes of the run, with their state, host, processors, pool and use of it"},
		{name: "join", short: []string{"join"}, kind: kindJoin, value: "WHENCE", programs: Dmimw,
			help: "hosts from which processes can join: those of the run (host), or all (network); a run on one host listens to that host only by default"},
		{name: "list", short: []string{"list"}, kind: kindFlag, programs: Dmimw,
			resize: ofCommand, help: "list the runs of this user on this host"},
	}
}

// CompleteDMI sets what the command line of dmimw leaves out. hosts has the host of each place, in order; nil = this host.
func (o *Options) CompleteDMI(hosts []string) error {
	if o.NP == 0 {
		o.NP = max(len(hosts), 1)
	}
	seats := o.Seats
	if seats == 0 {
		seats = DefaultSeats
	}
	if seats < o.NP {
		return &UsageError{Option: "-seats", Err: fmt.Errorf("%d is less than the %d processes of -n", seats, o.NP)}
	}
	o.Max, o.Guests = seats, Guests{Given: true} // processes join as residents
	o.OnHost = o.NP
	if len(hosts) > 0 {
		o.OnHost = 0
		places := map[string]int{}
		for i := range o.NP {
			host := hosts[i%len(hosts)]
			places[host]++
			o.OnHost = max(o.OnHost, places[host])
		}
	}
	return nil
}
