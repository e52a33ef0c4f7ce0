package group

import (
	"fmt"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/structure/collarea"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Group is a group of which this process is a member. It does not change. Several goroutines may call its
// methods at once, except collective methods.
type Group struct {
	groups *Groups
	number uint64
	procs  []int       // by rank
	ranks  map[int]int // by process
	rank   int         // of this process

	teams [3]struct { // by Scope, once it has been used
		once sync.Once
		team *Team
	}
}

// group returns the group of some processes, which include this process.
func (s *Groups) group(number uint64, procs []int) *Group {
	g := &Group{groups: s, number: number, procs: procs, ranks: make(map[int]int, len(procs))}
	for rank, p := range procs {
		g.ranks[p] = rank
	}
	g.rank = g.ranks[s.world.Self()]
	return g
}

// Groups returns the groups to which g belongs.
func (g *Group) Groups() *Groups { return g.groups }

// Number returns the number of the group. It is the same on all members, and unique in the world.
func (g *Group) Number() uint64 { return g.number }

// IsWorld reports whether this is the group of all processes that exists from the start.
func (g *Group) IsWorld() bool { return g == g.groups.all }

// Size returns the number of members.
func (g *Group) Size() int { return len(g.procs) }

// Rank returns the rank of this process.
func (g *Group) Rank() int { return g.rank }

// Procs returns the processes by rank. The caller does not change them.
func (g *Group) Procs() []int { return g.procs }

// RankOf returns the rank of a process, and false if it is no member.
func (g *Group) RankOf(proc int) (rank int, ok bool) {
	rank, ok = g.ranks[proc]
	return rank, ok
}

// Exchange returns the blobs of all members, one after the other in order of ranks. All blobs have the same
// length. Collective. Blocks until all members have called it. Fails if the run is over.
func (g *Group) Exchange(own []byte) ([]byte, error) {
	if len(own) == 0 {
		return nil, g.Barrier()
	}
	return g.groups.engine.Gather(g.everyone().Team, own)
}

// Barrier waits until all members have called it. Earlier stores of all members are visible after it.
// Collective. Fails if the run is over.
func (g *Group) Barrier() error { return g.groups.engine.Barrier(g.everyone().Team) }

// OnArea lets met be called when the members, all of which share memory, have made a collective area for their
// barriers and reductions. A new group has none yet, and a group may get none. One goroutine at a time
// calls OnArea and functions that are collective.
func (g *Group) OnArea(met func(b *collarea.Area)) { g.everyone().Met = met }

// Close ends the use of the group by this process.
func (g *Group) Close() {
	for i := range g.teams {
		if t := g.teams[i].team; t != nil {
			g.groups.engine.CloseTeam(t.Team)
		}
	}
}

// translate returns the processes that have some ranks. Fails with ErrProc.
func (g *Group) translate(ranks []int) ([]int, error) {
	procs := make([]int, 0, len(ranks))
	for _, rank := range ranks {
		if rank < 0 || rank >= g.Size() {
			return nil, fmt.Errorf("%w: rank %d of a group of %d", world.ErrProc, rank, g.Size())
		}
		procs = append(procs, g.procs[rank])
	}
	sorted := slices.Sorted(slices.Values(procs))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return nil, fmt.Errorf("%w: process %d is twice in a group", world.ErrProc, sorted[i])
		}
	}
	return procs, nil
}
