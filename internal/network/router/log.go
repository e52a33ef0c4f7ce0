package router

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
)

// routeLog collects the routes to all members for the log. Members with the same route for the same reasons
// share a line.
type routeLog struct {
	own     bridge.Contact   // of this process
	members *bridge.Members  // the other members
	lines   []string         // routes with their reasons, in the order in which they were found
	served  map[string][]int // members by line
}

// add notes the route to a member.
func (l *routeLog) add(member int, route bridge.Route, refused []bridge.Refusal) {
	if !debuglog.Route.On() {
		return
	}
	var line strings.Builder
	fmt.Fprintf(&line, "%v", route)
	if member != int(l.own.Member) {
		fmt.Fprintf(&line, ", by network %v", bridge.PairMode(l.own.Mode, l.members.At(member).Mode))
	}
	for _, r := range refused {
		fmt.Fprintf(&line, ", not %v: %s", r.Route, r.Reason)
	}
	text := line.String()
	if l.served == nil {
		l.served = make(map[string][]int)
	}
	if l.served[text] == nil {
		l.lines = append(l.lines, text)
	}
	l.served[text] = append(l.served[text], member)
}

// write writes what was collected.
func (l *routeLog) write() {
	for _, line := range l.lines {
		debuglog.Route.Printf("to %s: %s", rankList(l.served[line]), line)
	}
}

// rankList returns ranks in ascending order as text, for example "ranks 0-3,7".
func rankList(ranks []int) string {
	var text strings.Builder
	for i := 0; i < len(ranks); {
		end := i
		for end+1 < len(ranks) && ranks[end+1] == ranks[end]+1 {
			end++
		}
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprint(&text, ranks[i])
		if end > i {
			fmt.Fprintf(&text, "-%d", ranks[end])
		}
		i = end + 1
	}
	if len(ranks) == 1 {
		return "rank " + text.String()
	}
	return "ranks " + text.String()
}

// logAtomics says what carries out atomics.
func (r *Router) logAtomics() {
	if r.allAtomics {
		debuglog.Route.Printf("atomics on all memory by %v: all ranks share a communicator of MPI and copy by windows alone", r.atomics[r.messengerRoute])
		return
	}
	debuglog.Route.Printf("atomics by processors: by that of this rank on mapped memory, otherwise by the agent of the owner")
}
