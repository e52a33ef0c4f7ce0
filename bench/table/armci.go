package main

import (
	"fmt"
	"strings"
)

// comparison is one line of the table of ARMCI: a figure beside the same one of ARMCI-MPI, beside
// another reference, and beside a number.
type comparison struct {
	what  string
	name  string // of the figure
	armci limit  // beside ARMCI-MPI

	reference string   // name of the figure of the other reference; empty: the same
	sources   []string // of the other reference; empty if there is none
	other     limit    // beside the other reference

	absolute limit
}

var (
	armciMPI = []string{"armci-openmpi", "armci-mpich"}
	loop     = []string{"loop"}
	goacp    = []string{"goacp"} // other figures of ARMCI itself
	waitTime = limit{absolute: 20e6}
)

func times(x float64) limit { return limit{times: x} }

func most(ns float64) limit { return limit{absolute: ns} }

var comparisons = []comparison{
	{what: "one host: put 8 B", name: "put8", armci: times(0.8), sources: mpi, other: times(1), absolute: most(60)},
	{what: "one host: get 8 B", name: "get8", armci: times(0.8), sources: mpi, other: times(1), absolute: most(60)},
	{what: "one host: put 1 MiB", name: "put1m", armci: times(1.05), sources: loop, other: times(1.1)},
	{what: "one host: get 1 MiB", name: "get1m", armci: times(1.05), sources: loop, other: times(1.1)},
	{what: "one host: PutS of 64 rows of 64 doubles", name: "puts4k", armci: times(0.5), sources: loop, other: times(1.25)},
	{what: "one host: GetS of 64 rows of 64 doubles", name: "gets4k", armci: times(0.5), sources: loop, other: times(1.25)},
	{what: "one host: PutS of 512 blocks of 8 B", name: "puts8", armci: times(0.25), sources: loop, other: times(1.5)},
	{what: "one host: PutV of 1024 segments of 8 B", name: "putv8", armci: times(0.25), sources: loop, other: times(1.5)},
	{what: "one host: GetV of 1024 segments of 8 B", name: "getv8", armci: times(0.25), sources: loop, other: times(1.5)},
	{what: "one host: AccV of 1024 segments of 8 B", name: "accv8", armci: times(0.25), sources: loop, other: times(1.5)},
	{what: "one host: Acc of one double", name: "acc8", armci: times(1), sources: mpi, other: times(1), absolute: most(100)},
	{what: "one host: Acc of 1 MiB of doubles", name: "acc1m", armci: times(1.15), sources: loop, other: times(1.3)},
	{what: "one host: the same with a scale of two", name: "accscaled1m", armci: times(0.6), sources: loop, other: times(1.3)},
	{what: "one host: Acc by 2 processes to the same megabyte", name: "acctwo1m", armci: times(1)},
	{what: "one host: Rmw", name: "rmw", armci: times(0.8), reference: "add8", sources: mpi, other: times(1), absolute: most(80)},
	{what: "one host: Lock and Unlock, free mutex", name: "lock", armci: times(0.1), absolute: most(200)},
	{what: "one host: Lock and Unlock, 2 processes contending", name: "locktwo", armci: times(0.5)},
	{what: "one host: NbPut of 8 B and Wait", name: "nbput8", armci: times(0.8), reference: "put8", sources: goacp, other: limit{more: 20}},
	{what: "AllFence with nothing on the way, 2 processes", name: "allfence", absolute: most(30)},
	{what: "AllFence with nothing on the way, 128 processes", name: "allfence128", absolute: most(30)},
	{what: "one host: Barrier of 2", name: "barrier", armci: times(1), reference: "sync", sources: goacp, other: times(1.2)},
	{what: "one host: armci_msg_dgop of 1 double", name: "sum1", armci: times(1.1), sources: mpi, other: times(1.1)},
	{what: "one host: armci_msg_dgop of 1000 doubles", name: "sum1000", armci: times(1.1), sources: mpi, other: times(1.1)},
	{what: "one host: Malloc and Free of 1 MiB, 2 processes", name: "malloc1m", armci: times(0.5)},
	{what: "one host: get 8 B from a process that computes", name: "busyget8", armci: times(1), reference: "get8", sources: goacp, other: times(1.5)},
	{what: "two hosts: put 8 B, local completion", name: "farput8", reference: "roundtrip", sources: socket, other: times(0.5)},
	{what: "two hosts: put 8 B and Fence", name: "farputfence8", reference: "roundtrip", sources: socket, other: times(1.3)},
	{what: "two hosts: get 8 B", name: "farget8", reference: "roundtrip", sources: socket, other: times(1.3)},
	{what: "two hosts: Rmw", name: "farrmw", reference: "roundtrip", sources: socket, other: times(1.3)},
	{what: "two hosts: Lock", name: "farlock", reference: "roundtrip", sources: socket, other: times(1.3)},
	{what: "two hosts: PutS of 2 MiB in blocks of 512 B", name: "farputs2m", reference: "farput2m", sources: goacp, other: times(1.2)},
	{what: "two hosts: GetS of 2 MiB in blocks of 512 B", name: "fargets2m", reference: "farget2m", sources: goacp, other: times(1.2)},
	{what: "two hosts: AccS of 2 MiB in blocks of 512 B", name: "faraccs2m", reference: "faracc2m", sources: goacp, other: times(1.2)},
	{what: "two hosts: 1000 aggregate NbPut of 8 B and Fence", name: "faraggregate", reference: "roundtrip", sources: socket, other: times(3)},
	{what: "processor time of 1 s in Lock", name: "waitlock", absolute: waitTime},
	{what: "processor time of 1 s in armci_msg_rcv", name: "waitrcv", absolute: waitTime},
	{what: "processor time of 1 s in armci_notify_wait", name: "waitnotify", absolute: waitTime},
	{what: "processor time of 1 s in Barrier", name: "waitbarrier", absolute: waitTime},
}

// armciHead is the first line of the table of ARMCI.
var armciHead = []string{"what", "GoACP", "ARMCI-MPI", "ratio", "reference", "ratio", "targets", "met"}

// armciLines returns the table of bench/armci.sh.
func armciLines(s figures) [][]string {
	lines := [][]string{armciHead}
	for _, c := range comparisons {
		lines = append(lines, c.cells(s))
	}
	return lines
}

// cells returns the texts of a line of the table.
func (c comparison) cells(s figures) []string {
	reference := c.reference
	if reference == "" {
		reference = c.name
	}
	v, ok := s.median(goacp[0], c.name)
	theirs, one, haveTheirs := s.best(armciMPI, c.name)
	source, other, haveOther := s.best(c.sources, reference)
	if len(c.sources) == 1 && c.sources[0] == goacp[0] {
		source = "GoACP"
	}
	cells := []string{c.what, "-"}
	if ok {
		cells[1] = duration(v)
	}
	cells = append(cells, beside(v, ok, strings.TrimPrefix(theirs, "armci-"), one, haveTheirs)...)
	cells = append(cells, beside(v, ok, source, other, haveOther)...)
	var targets, met []string
	for _, goal := range []struct {
		limit
		ref  float64
		have bool
	}{{c.armci, one, haveTheirs}, {c.other, other, haveOther}, {c.absolute, 0, true}} {
		if verdict := goal.verdict(v, ok, goal.ref, goal.have); verdict != "" {
			targets, met = append(targets, goal.words(duration)), append(met, verdict)
		}
	}
	return append(cells, strings.Join(targets, ", "), strings.Join(met, ", "))
}

// beside returns the texts of a reference and of the ratio of v to it.
func beside(v float64, ok bool, source string, ref float64, have bool) []string {
	switch {
	case !have:
		return []string{"-", "-"}
	case !ok:
		return []string{duration(ref) + " (" + source + ")", "-"}
	}
	return []string{duration(ref) + " (" + source + ")", fmt.Sprintf("%.2f", v/ref)}
}
