package group_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// fake is a world in which process p is the member p turned by one, and domains are runs of
// processes.
type fake struct{ procs, self, perDomain int }

func (w fake) ID() uint64          { return 99 }
func (w fake) Procs() int          { return w.procs }
func (w fake) Self() int           { return w.self }
func (w fake) Member(proc int) int { return (proc + 1) % w.procs }
func (w fake) Domain(proc int) int { return proc / w.perDomain }

// perDomain is the number of processes in a domain, apart from the last one.
const perDomain = 2

// run gives each process of a world of n a goroutine that executes body, in each way in which
// processes reach each other.
func run(t *testing.T, n int, body func(s *group.Groups, self int) error) {
	messagetest.ForEachWay(t, n, func(t *testing.T, w *messagetest.Run) {
		w.Together(t, func(h *message.Engine, member int) error {
			self := (member + n - 1) % n
			return body(group.New(h, fake{n, self, perDomain}), self)
		})
	})
}

// made is a group and its model.
type made struct {
	g     *group.Group // nil if this process is no member
	procs []int
}

// TestModel makes random groups of groups. All processes compute all groups from a model. Each
// group works after it was made, and so do older groups.
func TestModel(t *testing.T) {
	const procs, turns = 6, 40
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	run(t, procs, func(s *group.Groups, self int) error {
		rnd := rand.New(rand.NewPCG(seed, 0)) // the same on all
		groups := []made{{s.All(), []int{0, 1, 2, 3, 4, 5}}}
		for turn := range turns {
			parent := groups[rnd.IntN(len(groups))]
			list := rnd.Perm(len(parent.procs))[:1+rnd.IntN(len(parent.procs))]
			m := made{}
			for _, rank := range list {
				m.procs = append(m.procs, parent.procs[rank])
			}
			var err error
			if m.g, err = s.Create(parent.g, list); err != nil {
				return fmt.Errorf("turn %d: %w", turn, err)
			}
			groups = append(groups, m)
			for _, m := range []made{m, groups[rnd.IntN(len(groups))]} {
				if err := use(s, m, self); err != nil {
					return fmt.Errorf("turn %d, group %v: %w", turn, m.procs, err)
				}
			}
		}
		return numbersDiffer(groups)
	})
}

// use checks the data of a group, and lets its members work together.
func use(s *group.Groups, m made, self int) error {
	rank := slices.Index(m.procs, self)
	if rank < 0 {
		if m.g != nil {
			return errors.New("there is a group for a process that is no member")
		}
		return nil
	}
	if m.g == nil || m.g.Rank() != rank || m.g.Size() != len(m.procs) || !slices.Equal(m.g.Procs(), m.procs) {
		return fmt.Errorf("group %+v, want rank %d of %v", m.g, rank, m.procs)
	}
	for p := range 6 {
		want := slices.Index(m.procs, p)
		if got, ok := m.g.RankOf(p); ok != (want >= 0) || ok && got != want {
			return fmt.Errorf("process %d has rank %d, want %d", p, got, want)
		}
	}
	all, err := m.g.Exchange([]byte{byte(self), byte(rank)})
	if err != nil {
		return err
	}
	for rank, p := range m.procs {
		if all[2*rank] != byte(p) || all[2*rank+1] != byte(rank) {
			return fmt.Errorf("exchanged %v", all)
		}
	}
	if err := scopes(s, m, self); err != nil {
		return err
	}
	return m.g.Barrier()
}

// scopes broadcasts within the scopes of a group.
func scopes(s *group.Groups, m made, self int) error {
	for i, want := range [][]int{m.procs, node(m.procs, self), masters(m.procs)} {
		scope := group.Scope(i)
		team, err := m.g.Scope(scope)
		if err != nil {
			return err
		}
		if (team != nil) != slices.Contains(want, self) {
			return fmt.Errorf("scope %d has the team %+v, want %v", scope, team, want)
		}
		if team == nil {
			continue
		}
		all, err := s.Engine().Gather(team.Team, []byte{byte(self)})
		if err != nil {
			return err
		}
		for i, p := range want {
			if len(all) != len(want) || int(all[i]) != p {
				return fmt.Errorf("scope %d has the processes %v, want %v", scope, all, want)
			}
		}
		if root, err := team.Root(want[0]); err != nil || root != 0 {
			return fmt.Errorf("process %d has rank %d in a scope, want 0: %w", want[0], root, err)
		}
	}
	return nil
}

// node returns the processes of a list that are in the domain of a process.
func node(procs []int, self int) (in []int) {
	for _, p := range procs {
		if p/perDomain == self/perDomain {
			in = append(in, p)
		}
	}
	return in
}

// masters returns the first of some processes in each domain.
func masters(procs []int) (first []int) {
	for _, p := range procs {
		if node(procs, p)[0] == p {
			first = append(first, p)
		}
	}
	return first
}

// numbersDiffer checks the numbers of the groups that this process is in.
func numbersDiffer(groups []made) error {
	seen := make(map[uint64][]int)
	for _, m := range groups {
		if m.g == nil {
			continue
		}
		if other, ok := seen[m.g.Number()]; ok {
			return fmt.Errorf("groups %v and %v have the same number", other, m.procs)
		}
		seen[m.g.Number()] = m.procs
	}
	return nil
}

// TestEach: every process names a group of its own in the same call, and no other process is waited
// for.
func TestEach(t *testing.T) {
	const procs = 5
	run(t, procs, func(s *group.Groups, self int) error {
		if self == 0 {
			return nil // takes no part
		}
		own, err := s.Create(s.All(), []int{self})
		if err != nil {
			return err
		}
		if err := use(s, made{own, []int{self}}, self); err != nil {
			return err
		}
		pair := []int{4, 1}
		if self == 2 || self == 3 {
			pair = []int{2, 3}
		}
		g, err := s.Create(s.All(), pair)
		if err != nil {
			return err
		}
		return use(s, made{g, pair}, self)
	})
}

// TestSplit splits a group in many ways.
func TestSplit(t *testing.T) {
	const procs = 6
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	run(t, procs, func(s *group.Groups, self int) error {
		rnd := rand.New(rand.NewPCG(seed, 1)) // the same on all
		for range 10 {
			colors, keys := make([]int32, procs), make([]int32, procs)
			want := made{}
			for p := range procs {
				colors[p], keys[p] = rnd.Int32N(4)-1, rnd.Int32N(3)-1
			}
			for key := int32(-1); key <= 1; key++ {
				for p := range procs {
					if colors[p] == colors[self] && colors[p] >= 0 && keys[p] == key {
						want.procs = append(want.procs, p)
					}
				}
			}
			var err error
			if want.g, err = s.Split(s.All(), colors[self], keys[self]); err != nil {
				return err
			}
			if err := use(s, want, self); err != nil {
				return fmt.Errorf("colors %v, keys %v: %w", colors, keys, err)
			}
		}
		twin, err := s.Split(s.All(), 0, 0)
		if err != nil {
			return err
		}
		if twin.Number() == s.All().Number() || twin.IsWorld() {
			return errors.New("a copy of the world is the world")
		}
		return use(s, made{twin, []int{0, 1, 2, 3, 4, 5}}, self)
	})
}

// TestMistakes: lists that cannot be groups are refused, without a wait for other processes.
func TestMistakes(t *testing.T) {
	run(t, 3, func(s *group.Groups, self int) error {
		for _, list := range [][]int{{3}, {-1}, {0, 0}, {0, 1, 2, 1}} {
			if g, err := s.Create(s.All(), list); !errors.Is(err, world.ErrProc) || g != nil {
				return fmt.Errorf("a group of %v: %v", list, err)
			}
		}
		if g, err := s.Create(nil, []int{0}); err != nil || g != nil {
			return fmt.Errorf("a group of no group: %v, %w", g, err)
		}
		if g, err := s.Create(s.All(), nil); err != nil || g != nil {
			return fmt.Errorf("a group of no process: %v, %w", g, err)
		}
		for _, scope := range []group.Scope{-1, 3} {
			if _, err := s.All().Scope(scope); !errors.Is(err, world.ErrProc) {
				return fmt.Errorf("scope %d: %v", scope, err)
			}
		}
		for _, c := range []struct{ first, count int }{{-1, 1}, {0, 4}, {2, 2}, {0, -1}, {3, 1}} {
			if _, err := s.All().Run(c.first, c.count); !errors.Is(err, world.ErrProc) {
				return fmt.Errorf("%d ranks from %d on: %v", c.count, c.first, err)
			}
		}
		team, err := s.All().Scope(group.All)
		if err != nil {
			return err
		}
		for _, proc := range []int{-1, 3} {
			if _, err := team.Root(proc); !errors.Is(err, world.ErrProc) {
				return fmt.Errorf("root %d: %v", proc, err)
			}
		}
		return nil
	})
}

// TestDifferentLists: a process whose list is not that of the lowest one finds out.
func TestDifferentLists(t *testing.T) {
	messagetest.ForEachWay(t, 2, func(t *testing.T, w *messagetest.Run) {
		first := make(chan error)
		go func() {
			s := group.New(w.Engines[1], fake{2, 0, perDomain})
			_, err := s.Create(s.All(), []int{0, 1})
			first <- err
		}()
		s := group.New(w.Engines[0], fake{2, 1, perDomain})
		if _, err := s.Create(s.All(), []int{1, 0}); !errors.Is(err, world.ErrProc) {
			t.Errorf("a group of another list: %v", err)
		}
		over := errors.New("the run is over")
		w.Lose(over) // the first process waits for the other process
		if err := <-first; !errors.Is(err, over) {
			t.Errorf("the first process: %v", err)
		}
	})
}

// TestRun: the members that follow each other from a rank on work together.
func TestRun(t *testing.T) {
	run(t, 5, func(s *group.Groups, self int) error {
		team, err := s.All().Run(1, 3)
		if err != nil {
			return err
		}
		if (team != nil) != (self >= 1 && self < 4) {
			return fmt.Errorf("process %d has the team %+v", self, team)
		}
		if team == nil {
			return nil
		}
		b := make([]byte, 8)
		if self == 1 {
			binary.LittleEndian.PutUint64(b, 42)
		}
		if err := s.Engine().Broadcast(team.Team, b, 0); err != nil || binary.LittleEndian.Uint64(b) != 42 {
			return fmt.Errorf("a broadcast gave %v: %w", b, err)
		}
		return nil
	})
}
