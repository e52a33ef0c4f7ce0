package survey

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Cycle returns ranks, by their places in Ranks, each of which waits for the next one, and the last for the first;
// nil if there are none. The smallest rank is the first. A rank with several waits waits for each. Waits that are
// shorter than least do not count.
func (r *Run) Cycle(least time.Duration) []int {
	g := waitGraph{run: r, least: least, rooms: map[room]int{}, next: make([][]int, len(r.Ranks))}
	for i := range r.Ranks {
		g.next[i] = g.follow(i)
	}
	cycle := g.cycle()
	cycle = slices.DeleteFunc(cycle, func(node int) bool { return node >= len(r.Ranks) })
	if cycle == nil {
		return nil
	}
	i := slices.Index(cycle, slices.Min(cycle))
	return slices.Concat(cycle[i:], cycle[:i])
}

// waitGraph is the graph of ranks that wait for ranks. Its first nodes are the ranks. Behind them is a node
// for each wait that many ranks share, so that a barrier of n ranks has n arcs, and one for each rank that
// has not come.
type waitGraph struct {
	run   *Run
	least time.Duration
	rooms map[room]int
	next  [][]int // by node
}

// room is a shared wait of several ranks for other ranks.
type room struct {
	cohort   int
	kind     activity.Kind
	barriers uint64
}

// follow returns the nodes for which a rank waits.
func (g *waitGraph) follow(i int) (nodes []int) {
	x := &g.run.Ranks[i]
	if x.State != Waiting {
		return nil
	}
	for _, w := range x.Seen.Waits {
		if w.For < g.least || !w.forProgram() {
			continue
		}
		if !w.forAll() || x.Apart {
			nodes = append(nodes, g.run.Awaited(i, w)...)
			continue
		}
		at := room{cohort: x.Cohort, kind: w.Kind}
		if w.Kind == activity.Barrier {
			at.barriers = x.Seen.Barriers
		}
		node, known := g.rooms[at]
		if !known {
			node = len(g.next)
			g.rooms[at] = node
			g.next = append(g.next, g.run.Awaited(i, w))
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// forAll reports whether all ranks are to come.
func (w *Wait) forAll() bool {
	return w.Kind == activity.Start || w.Kind == activity.Barrier || w.Kind == activity.Exchange
}

// forProgram reports whether the wait ends only by a call of another rank's program. The library ends other
// waits by itself, whatever the program does. Waits of threads of DMI are not among them: while one thread waits, another one of the rank
// may end the wait of others.
func (w *Wait) forProgram() bool {
	return w.Kind != activity.Complete && w.Kind != activity.Answer && !w.ofDMI()
}

// cycle returns a cycle of nodes, or nil.
func (g *waitGraph) cycle() []int {
	const (
		fresh = iota
		open  // on the path
		done
	)
	state := make([]uint8, len(g.next))
	for start := range g.next {
		if state[start] != fresh {
			continue
		}
		state[start] = open
		for path := []int{start}; len(path) > 0; {
			at := path[len(path)-1]
			if len(g.next[at]) == 0 {
				state[at] = done
				path = path[:len(path)-1]
				continue
			}
			to := g.next[at][0]
			g.next[at] = g.next[at][1:]
			switch state[to] {
			case open:
				return path[slices.Index(path, to):]
			case fresh:
				state[to] = open
				path = append(path, to)
			}
		}
	}
	return nil
}

// DescribeCycle returns one line about a cycle: which rank waits for which.
func (r *Run) DescribeCycle(cycle []int) string {
	var texts []string
	for i, from := range cycle {
		to := cycle[(i+1)%len(cycle)]
		rank := r.Ranks[from].Rank
		texts = append(texts, fmt.Sprintf("rank %d%s waits%s for rank %d", rank, r.inJob(rank), r.callFor(from, to), r.Ranks[to].Rank))
	}
	return strings.Join(texts, ", ")
}

// inJob names the job of a rank, "" if the rank is not known or there is one job only.
func (r *Run) inJob(rank int) string {
	i := r.index(rank)
	if i < 0 || len(r.Jobs) < 2 || r.Ranks[i].Job < 0 {
		return ""
	}
	return fmt.Sprintf(" (job %d)", r.Ranks[i].Job)
}

// callFor names the function in which a rank waits for another one, and the field if it waits at a link. The ranks are
// given by their places in Ranks.
func (r *Run) callFor(from, to int) string {
	for _, w := range r.Ranks[from].Seen.Waits {
		if w.Call == "" || !slices.Contains(r.Awaited(from, w), to) {
			continue
		}
		text := " in " + w.Call
		if w.At != "" {
			text += " (" + w.At + ")"
		}
		if with := w.with(); with != "" {
			text += " at the link" + with
		}
		return text
	}
	return ""
}
