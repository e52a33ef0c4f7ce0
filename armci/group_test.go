package armci_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/armci"
)

// TestGroups makes random groups, which all processes compute from a model, and uses each for memory,
// mutexes, exchanges and reductions.
func TestGroups(t *testing.T) {
	const procs, turns = 4, 12
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEach(t, []int{procs}, func(w *armci.World) error {
		rng := rand.New(rand.NewPCG(seed, 0)) // the same on all
		for turn := range turns {
			ranks := rng.Perm(procs)[:1+rng.IntN(procs)]
			g, err := w.Group().New(ranks)
			if err != nil {
				return err
			}
			if slices.Contains(ranks, w.Proc()) != (g != nil) {
				return fmt.Errorf("turn %d: the group %v is %v", turn, ranks, g)
			}
			if g == nil {
				continue
			}
			if err := useGroup(w, g, ranks); err != nil {
				return fmt.Errorf("seed %d, turn %d, group %v: %w", seed, turn, ranks, err)
			}
		}
		half, err := w.Group().Split(w.Proc()%2, -w.Proc())
		if err != nil {
			return err
		}
		if want := []int{2 + w.Proc()%2, w.Proc() % 2}; !slices.Equal(half.Procs(), want) {
			return fmt.Errorf("a half is %v, want %v", half.Procs(), want)
		}
		if none, err := w.Group().Split(-1, 0); none != nil || err != nil {
			return fmt.Errorf("a group without color: %v, %w", none, err)
		}
		_, twice := half.New([]int{0, 0})
		_, beyond := half.New([]int{2})
		return errors.Join(expect(armci.ErrProc, twice), expect(armci.ErrProc, beyond), useGroup(w, half, half.Procs()))
	})
}

// useGroup lets the processes of a group work together.
func useGroup(w *armci.World, g *armci.Group, procs []int) error {
	rank := slices.Index(procs, w.Proc())
	if g.Size() != len(procs) || g.Rank() != rank || !slices.Equal(g.Procs(), procs) || g.RankOf(procs[0]) != 0 || g.RankOf(-1) != -1 {
		return fmt.Errorf("rank %d of %v", g.Rank(), g.Procs())
	}
	m, err := armci.Malloc[int32](g, 1+rank)
	if err != nil {
		return err
	}
	locks, err := armci.NewMutexes(g, 1)
	if err != nil {
		return err
	}
	last := procs[len(procs)-1]
	if m.On(last).Len() != len(procs) {
		return fmt.Errorf("process %d has %d elements", last, m.On(last).Len())
	}
	err = errors.Join(locks.Lock(0, last), armci.PutValue(w, m.On(last).At(rank), int32(rank+1)), locks.Unlock(0, last), g.Fence(), g.Barrier())
	if err != nil {
		return err
	}
	for i, x := range m.Local() {
		if w.Proc() == last && x != int32(i+1) {
			return fmt.Errorf("element %d is %d", i, x)
		}
	}
	numbers, err := armci.Exchange(g, w.Proc())
	if err != nil || !slices.Equal(numbers, procs) {
		return fmt.Errorf("exchange: %v, %w", numbers, err)
	}
	sum := []float64{1, float64(rank)}
	err = armci.Reduce(g, armci.Sum, sum)
	if n := len(procs); err != nil || sum[0] != float64(n) || sum[1] != float64(n*(n-1)/2) {
		return fmt.Errorf("sums %v: %w", sum, err)
	}
	return errors.Join(locks.Destroy(), m.Free())
}

// TestMessages: messages arrive in order, with the length that they have, short and long.
func TestMessages(t *testing.T) {
	const turns, most = 20, 2 * armci.Buffered / 8
	forEach(t, []int{1, 3}, func(w *armci.World) error {
		next, previous := (w.Proc()+1)%w.Procs(), (w.Proc()+w.Procs()-1)%w.Procs()
		buf := make([]int64, most)
		for turn := range turns {
			data := make([]int64, turn*most/turns)
			for i := range data {
				data[i] = int64(turn*w.Procs() + w.Proc() + i)
			}
			sent := make(chan error, 1)
			go func() { sent <- armci.Send(w, next, 7, data) }()
			n, err := armci.Recv(w, previous, 7, buf)
			if err := errors.Join(err, <-sent); err != nil || n != len(data) {
				return fmt.Errorf("message %d of %d elements: %d, %w", turn, len(data), n, err)
			}
			for i, x := range buf[:n] {
				if x != int64(turn*w.Procs()+previous+i) {
					return fmt.Errorf("element %d of message %d is %d", i, turn, x)
				}
			}
			if err := w.Barrier(); err != nil {
				return err
			}
		}
		if err := armci.Send(w, next, 8, []int32{1, 2, 3}); err != nil {
			return err
		}
		from, n, err := armci.RecvAny(w, 8, make([]int32, 5))
		if err != nil || from != previous || n != 3 {
			return fmt.Errorf("%d elements from process %d: %w", n, from, err)
		}
		err = errors.Join(armci.Send(w, w.Proc(), 9, []int32{1, 2, 3}), armci.Send(w, w.Proc(), 9, []int32{1, 2, 3}))
		if err != nil {
			return err
		}
		_, long := armci.Recv(w, w.Proc(), 9, make([]int32, 2))
		_, unequal := armci.Recv(w, w.Proc(), 9, make([]int64, 2))
		return errors.Join(expect(armci.ErrTooLong, long), expect(armci.ErrUnequal, unequal),
			expect(armci.ErrProc, armci.Send(w, w.Procs(), 9, []int32{1})), expect(armci.ErrBadType, armci.Send(w, 0, 9, []string{"a"})))
	})
}

// asked is a context that ends when a call has asked for the first time whether it has ended: then the
// call has begun.
type asked struct {
	context.Context
	end func()
}

func endsWhenAsked() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	return asked{ctx, cancel}
}

func (a asked) Err() error {
	defer a.end()
	return a.Context.Err()
}

// TestGivenUp: a Recv that gives up takes no message, and a Send that gives up loses none.
func TestGivenUp(t *testing.T) {
	forEach(t, []int{2}, func(w *armci.World) error {
		long := make([]int64, armci.Buffered)
		for i := range long {
			long[i] = int64(i)
		}
		if w.Proc() == 0 {
			if err := expect(context.Canceled, armci.Send(w.WithContext(endsWhenAsked()), 1, 1, long)); err != nil {
				return err
			}
			clear(long) // the caller's again
			return errors.Join(w.Barrier(), armci.Send(w, 1, 2, []int64{42}))
		}
		got := make([]int64, armci.Buffered)
		_, one := armci.Recv(w.WithContext(endsWhenAsked()), 0, 2, got)
		_, _, some := armci.RecvAny(w.WithContext(endsWhenAsked()), 2, got)
		if err := errors.Join(expect(context.Canceled, one), expect(context.Canceled, some), w.Barrier()); err != nil {
			return err
		}
		n, err := armci.Recv(w, 0, 1, got)
		if err != nil || n != armci.Buffered || got[n-1] != int64(n-1) {
			return fmt.Errorf("%d elements, the last is %d: %w", n, got[max(n-1, 0)], err)
		}
		if n, err = armci.Recv(w, 0, 2, got); err != nil || n != 1 || got[0] != 42 {
			return fmt.Errorf("%d elements, %d: %w", n, got[0], err)
		}
		return nil
	})
}

// TestCollective: all operators and types, broadcasts and selections, over the world and its scopes.
func TestCollective(t *testing.T) {
	forEach(t, []int{1, 3}, func(w *armci.World) error {
		for _, scope := range []armci.Scope{armci.All, armci.Node, armci.Masters} {
			team, err := w.Group().Team(scope)
			if err != nil {
				return err
			}
			if err := useTeam(w, team); err != nil {
				return fmt.Errorf("scope %d: %w", scope, err)
			}
		}
		_, none := w.Group().Team(3)
		return errors.Join(expect(armci.ErrProc, none), expect(armci.ErrOperator, armci.Reduce(w, armci.BitOr, []float32{1})),
			expect(armci.ErrOperator, armci.Reduce(w, 0, []int{1})), expect(armci.ErrProc, armci.Broadcast(w, []int{1}, -1)))
	})
}

// useTeam lets a team work together. The data of processes that do not take part does not change.
func useTeam(w *armci.World, team *armci.Team) error {
	procs := team.Procs()
	n := len(procs)
	if n == 0 {
		data := []int{5}
		err := errors.Join(armci.Reduce(team, armci.Sum, data), armci.Broadcast(team, data, 0))
		if winner, selectErr := armci.Select(team, armci.Max, 1, true, data); err != nil || selectErr != nil || winner != -1 || data[0] != 5 {
			return fmt.Errorf("a process that takes no part has %v: %w", data, errors.Join(err, selectErr))
		}
		return nil
	}
	first, last, sum, product := procs[0], procs[n-1], 0, 1
	for _, p := range procs {
		sum, product = sum+p, product*(p+1)
	}
	for _, c := range []struct {
		op         armci.Operator
		mine, want int
	}{
		{armci.Sum, w.Proc(), sum}, {armci.Product, w.Proc() + 1, product}, {armci.Max, w.Proc(), last}, {armci.Min, -w.Proc(), -last},
		{armci.AbsMax, -w.Proc(), last}, {armci.AbsMin, -w.Proc() - 1, first + 1},
	} {
		err := errors.Join(reduced[int32](team, c.op, c.mine, c.want), reduced[int64](team, c.op, c.mine, c.want), reduced[int](team, c.op, c.mine, c.want),
			reduced[half](team, c.op, c.mine, c.want), reduced[float64](team, c.op, c.mine, c.want))
		if err != nil {
			return fmt.Errorf("operator %d: %w", c.op, err)
		}
	}
	bit := 1 << (w.Proc() - first)
	err := errors.Join(reduced[int32](team, armci.BitOr, bit, 1<<n-1), reduced[int64](team, armci.BitAnd, ^bit, ^(1<<n-1)),
		reduced[int](team, armci.LogicalOr, w.Proc()-first, min(n-1, 1)), reduced[int](team, armci.LogicalAnd, w.Proc()-first, 0))
	data := []complex128{complex(float64(w.Proc()), 1), 2}
	if err = errors.Join(err, armci.Broadcast(team, data, last)); err != nil || data[0] != complex(float64(last), 1) {
		return fmt.Errorf("broadcast of process %d: %v, %w", last, data, err)
	}
	data[0] = complex(float64(w.Proc()), 0)
	greatest, err := armci.Select(team, armci.Max, float32(w.Proc()), w.Proc() != last || n == 1, data)
	if want := procs[max(n-2, 0)]; err != nil || greatest != want || real(data[0]) != float64(want) {
		return fmt.Errorf("the greatest is %d with %v, want %d: %w", greatest, data, want, err)
	}
	if least, err := armci.Select(team, armci.Min, w.Proc(), true, data); err != nil || least != first {
		return fmt.Errorf("the smallest is %d, want %d: %w", least, first, err)
	}
	if nobody, err := armci.Select(team, armci.Min, w.Proc(), false, data); err != nil || nobody != -1 {
		return fmt.Errorf("process %d contributes: %w", nobody, err)
	}
	_, wrong := armci.Select(team, armci.Sum, 1, true, data)
	return expect(armci.ErrOperator, wrong)
}

// reduced checks a reduction of two elements.
func reduced[T armci.Real](team *armci.Team, op armci.Operator, mine, want int) error {
	data := []T{T(mine), T(mine)}
	if err := armci.Reduce(team, op, data); err != nil || data[0] != T(want) || data[1] != T(want) {
		return fmt.Errorf("%T: %v, want %d: %w", mine, data, want, err)
	}
	return nil
}
