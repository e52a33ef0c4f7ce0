package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/release"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Describe returns lines for users about the world: its size, its domains, and how its hosts are
// connected. Local. Does not block.
func (s *Session) Describe() []string {
	w := s.World
	hosts := hostsOf(w)
	lines := []string{
		fmt.Sprintf("GoACP %s: %s on %s, %s", release.Version,
			counted(w.Procs(), "process", "processes"), counted(len(hosts), "host", "hosts"), counted(w.Domains(), "domain", "domains")),
		apartTexts[s.apart],
	}
	for i, h := range hosts {
		lines = append(lines, fmt.Sprintf("host %s: processes %v%s", h.name, h.procs, by(w, h, h)))
		for _, other := range hosts[i+1:] {
			lines = append(lines, fmt.Sprintf("hosts %s and %s%s", h.name, other.name, by(w, h, other)))
		}
	}
	return lines
}

var apartTexts = [...]string{
	together:   "memory has the same addresses in all processes that share it",
	apartInMap: "memory does not have the same addresses in all processes that share it: each process is a domain",
	apartInRow: "the processes of a host do not follow each other: each process is a domain",
	apartAsked: "each process is a domain, as the environment asks for",
}

// counted returns a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// hostOfWorld is a host and the processes on it.
type hostOfWorld struct {
	name  string
	procs []int
}

// hostsOf returns the hosts of a world, by their lowest processes.
func hostsOf(w *world.World) []hostOfWorld {
	m := w.Process().Members
	at := make(map[int]int) // in the result, by number of the host
	var hosts []hostOfWorld
	for proc, member := range w.Members() {
		k, known := at[m.HostIndex(member)]
		if !known {
			k = len(hosts)
			at[m.HostIndex(member)] = k
			hosts = append(hosts, hostOfWorld{name: m.At(member).HostName})
		}
		hosts[k].procs = append(hosts[k].procs, proc)
	}
	return hosts
}

// by names the way in which ARMCI processes on two hosts, or on one host, access each other's
// memory. Where ACP uses windows of MPI, they use sockets.
func by(w *world.World, a, b hostOfWorld) string {
	var names []string
	for _, i := range a.procs {
		for _, j := range b.procs {
			route, _, err := w.Process().Members.Route(w.Member(i), w.Member(j))
			if i == j || err != nil {
				continue
			}
			if !route.SharesMemory() {
				route = bridge.TCP
			}
			if !slices.Contains(names, route.String()) {
				names = append(names, route.String())
			}
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	return ", by " + strings.Join(names, " and ")
}
