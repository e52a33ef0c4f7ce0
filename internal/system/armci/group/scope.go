package group

import (
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Scope determines the members of a group that take part in a function. The numbers are those of
// ARMCI.
type Scope int

// The scopes.
const (
	All     Scope = iota // all members
	Node                 // the processes in the domain of the caller
	Masters              // of each domain the member with the lowest rank
)

// uses are what labels of the messages of scopes have.
var uses = [...]message.Use{All: message.All, Node: message.Node, Masters: message.Masters}

// Team is the processes of a group that take part in a function, including this process.
type Team struct {
	*message.Team
	Procs []int // by rank
}

// Root returns the rank in the team of a process, for example the root of a broadcast. Fails with
// ErrProc if the process takes no part.
func (t *Team) Root(proc int) (int, error) {
	if rank := slices.Index(t.Procs, proc); rank >= 0 {
		return rank, nil
	}
	return 0, fmt.Errorf("%w: process %d takes no part", world.ErrProc, proc)
}

// Scope returns the team of a scope, and nil if this process takes no part. Its ranks are in the
// order of those of the group. Fails with ErrProc if there is no such scope.
func (g *Group) Scope(s Scope) (*Team, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	t := &g.teams[s]
	t.once.Do(func() {
		if procs := g.in(s); slices.Contains(procs, g.procs[g.rank]) {
			t.team = g.groups.team(message.Label{Group: g.number, Use: uses[s]}, procs)
		}
	})
	return t.team, nil
}

// everyone returns the team of all members.
func (g *Group) everyone() *Team {
	t, err := g.Scope(All)
	if err != nil {
		panic(err) // there is such a scope
	}
	return t
}

// check returns an error if there is no such scope.
func (s Scope) check() error {
	if s < All || s > Masters {
		return fmt.Errorf("%w: there is no scope %d", world.ErrProc, s)
	}
	return nil
}

// In returns the processes of a scope, in order of their ranks in the group. This process need not
// be one of them. Fails with ErrProc if there is no such scope.
func (g *Group) In(s Scope) ([]int, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return g.in(s), nil
}

// in returns the processes of a scope.
func (g *Group) in(s Scope) []int {
	w := g.groups.world
	var procs []int
	met := make(map[int]bool) // domains
	for _, p := range g.procs {
		d := w.Domain(p)
		if s == All || s == Node && d == w.Domain(w.Self()) || s == Masters && !met[d] {
			procs = append(procs, p)
		}
		met[d] = true
	}
	return procs
}

// Run returns the team of the count members from rank first on, and nil if this process is none of
// them. Fails with ErrProc if the group does not have these ranks.
func (g *Group) Run(first, count int) (*Team, error) {
	if first < 0 || count < 0 || first > g.Size()-count {
		return nil, fmt.Errorf("%w: %d processes from rank %d of %d on", world.ErrProc, count, first, g.Size())
	}
	if g.rank < first || g.rank >= first+count {
		return nil, nil
	}
	return g.groups.team(message.Label{Group: g.number, Use: message.Part}, g.procs[first:first+count]), nil
}
