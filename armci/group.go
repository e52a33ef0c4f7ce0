package armci

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Group is an ordered list of processes of a world, including this process. They have ranks in it.
// Several goroutines may call its methods at once, except collective methods.
type Group struct {
	w *World
	g *group.Group
}

func (g *Group) members() (*World, *group.Group) { return g.w, g.g }

// Group returns the group of all processes. Local. Does not block. ARMCI API: ARMCI_Group_get_world.
func (w *World) Group() *Group { return &Group{w, w.groups.All()} }

// New makes the group of the processes that have some ranks in g, in this order. All of them pass the
// same list. Other processes may call it, too, and get nil at once. Fails with ErrProc if there is no
// such rank, if the list has a rank twice, or if the lists differ. Collective. Blocks until every
// process in the list has called it. Not for concurrent use. ARMCI API: ARMCI_Group_create_child.
func (g *Group) New(ranks []int) (*Group, error) {
	if _, err := g.w.live(); err != nil {
		return nil, g.w.failed("new group", err)
	}
	made, err := g.w.groups.Create(g.g, ranks)
	return g.made("new group", made, err)
}

// Split makes a group of the processes of g with the same color, in order of their keys and, if these
// are equal, of their ranks. It returns nil if the color is negative. Fails with ErrCount if color or
// key has more than 32 bits. Collective. Blocks until every process of g has called it. Not for
// concurrent use. ARMCI API: ARMCIX_Group_split.
func (g *Group) Split(color, key int) (*Group, error) {
	_, err := g.w.live()
	if err == nil && (color > math.MaxInt32 || key != int(int32(key))) {
		err = fmt.Errorf("%w: color %d, key %d", world.ErrCount, color, key)
	}
	if err != nil {
		return nil, g.w.failed("split group", err)
	}
	made, err := g.w.groups.Split(g.g, int32(max(color, -1)), int32(key))
	return g.made("split group", made, err)
}

// made returns a new group, nil if this process is no member, or the error of a function.
func (g *Group) made(op string, made *group.Group, err error) (*Group, error) {
	if err != nil || made == nil {
		return nil, g.w.failed(op, err)
	}
	return &Group{g.w, made}, nil
}

// Size returns the number of processes. Local. Does not block. ARMCI API: ARMCI_Group_size.
func (g *Group) Size() int { return g.g.Size() }

// Rank returns the rank of this process. Local. Does not block. ARMCI API: ARMCI_Group_rank.
func (g *Group) Rank() int { return g.g.Rank() }

// RankOf returns the rank of a process, and -1 if it is no member. Local. Does not block. ARMCI API:
// none.
func (g *Group) RankOf(proc int) int {
	if rank, ok := g.g.RankOf(proc); ok {
		return rank
	}
	return -1
}

// Procs returns the numbers of the processes in the world, by rank. Local. Does not block. ARMCI API:
// ARMCI_Absolute_id.
func (g *Group) Procs() []int { return slices.Clone(g.g.Procs()) }

// Fence is World.Fence for all processes of the group. Any process. Blocks as World.Fence does. ARMCI
// API: ARMCI_GroupFence.
func (g *Group) Fence() error {
	var failed error
	for _, proc := range g.g.Procs() {
		failed = errors.Join(failed, g.w.Fence(proc))
	}
	return failed
}

// Barrier waits until every process of the group has called it. It is no fence. Collective. Blocks
// until every process of the group has called it. Not for concurrent use. ARMCI API:
// armci_msg_group_barrier.
func (g *Group) Barrier() error {
	_, err := g.w.live()
	if err == nil {
		err = g.g.Barrier()
	}
	return g.w.failed("barrier", err)
}

// Scope determines the processes of a group that take part in a collective function.
type Scope int

// The scopes.
const (
	All     = Scope(group.All)     // all of them
	Node    = Scope(group.Node)    // the processes in the domain of this process
	Masters = Scope(group.Masters) // of each domain the process with the lowest rank
)

// Team is the processes of a group that take part in a collective function.
type Team struct {
	w *World
	t *group.Team // nil: this process does not take part
}

// Team returns the processes of a scope. Fails with ErrProc if there is no such scope. Local. Does not
// block. ARMCI API: SCOPE_NODE.
func (g *Group) Team(s Scope) (*Team, error) {
	t, err := g.g.Scope(group.Scope(s))
	if err != nil {
		return nil, g.w.failed("team", err)
	}
	return &Team{g.w, t}, nil
}

// Procs returns the numbers of the processes in the world, in order of their ranks, and nil if this
// process does not take part. Local. Does not block. ARMCI API: armci_domain_nprocs.
func (t *Team) Procs() []int {
	if t.t == nil {
		return nil
	}
	return slices.Clone(t.t.Procs)
}
