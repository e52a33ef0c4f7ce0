package acp_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// reading is an element of 24 bytes, with padding.
type reading struct {
	Station uint16
	Value   float64
	Flags   [3]bool
}

// page is longer than one reply.
type page [9000]uint64

// elements has the methods that Vector and Deque share.
type elements[T any] interface {
	Address() acp.GA
	Destroy() error
	Len() (int, error)
	Clear() error
	Reserve(n int) error
	Load(i int) (T, error)
	Store(i int, x T) error
	PushBack(xs ...T) error
	PopBack() (T, error)
	Insert(i int, xs ...T) error
	Erase(i, n int) error
	AssignValues(xs ...T) error
	Slice() ([]T, error)
	All() iter.Seq2[int, T]
	Backward() iter.Seq2[int, T]
	Err() error
}

// elementModel is a vector or deque of Ts, and its expected contents.
type elementModel[T comparable] struct {
	elements[T]
	rnd  *rand.Rand
	make func(*rand.Rand) T
	most int // elements
	want []T
}

// some returns new elements.
func (m *elementModel[T]) some() []T {
	xs := make([]T, m.rnd.IntN(m.most))
	for i := range xs {
		xs[i] = m.make(m.rnd)
	}
	return xs
}

func (m *elementModel[T]) step() error {
	if len(m.want) > 10*m.most {
		m.want = nil
		return m.Clear()
	}
	xs, i := m.some(), m.rnd.IntN(len(m.want)+2)
	at := min(i, len(m.want))
	switch m.rnd.IntN(9) {
	case 0:
		m.want = append(m.want, xs...)
		return m.PushBack(xs...)
	case 1:
		m.want = slices.Insert(m.want, at, xs...)
		return m.Insert(i, xs...)
	case 2:
		n := m.rnd.IntN(len(m.want) - at + 1)
		m.want = slices.Delete(m.want, at, at+n)
		return m.Erase(i, n)
	case 3:
		x, err := m.PopBack()
		if n := len(m.want); n > 0 {
			if want := m.want[n-1]; x != want || err != nil {
				return fmt.Errorf("pop of %v: %w", want, err)
			}
			m.want = m.want[:n-1]
		} else if !errors.Is(err, acp.ErrEmpty) {
			return fmt.Errorf("pop of nothing: %w", err)
		}
		return nil
	case 4:
		x := m.make(m.rnd)
		err := m.Store(i, x)
		if i < len(m.want) {
			m.want[i] = x
			return err
		}
		if !errors.Is(err, acp.ErrOutOfRange) {
			return fmt.Errorf("replacement beyond the end: %w", err)
		}
		return nil
	case 5:
		if m.rnd.IntN(10) > 0 {
			return m.Reserve(m.rnd.IntN(2 * m.most))
		}
		m.want = xs
		return m.AssignValues(xs...)
	case 6:
		d, ok := m.elements.(*acp.Deque[T])
		if !ok {
			return nil
		}
		m.want = slices.Insert(m.want, 0, xs...)
		return d.PushFront(xs...)
	case 7:
		d, ok := m.elements.(*acp.Deque[T])
		if !ok || len(m.want) == 0 {
			return nil
		}
		x, err := d.PopFront()
		if want := m.want[0]; x != want || err != nil {
			return fmt.Errorf("pop of %v: %w", want, err)
		}
		m.want = m.want[1:]
		return nil
	}
	return m.check()
}

func (m *elementModel[T]) check() error {
	n, err1 := m.Len()
	xs, err2 := m.Slice()
	if err := errors.Join(err1, err2); err != nil || n != len(m.want) || !slices.Equal(xs, m.want) {
		return fmt.Errorf("%d elements, expected %d: %w", n, len(m.want), err)
	}
	next := 0
	for i, x := range m.All() {
		if i != next || x != m.want[i] {
			return fmt.Errorf("element %d is the %dth", i, next)
		}
		next++
	}
	for i, x := range m.Backward() {
		if next--; i != next || x != m.want[i] {
			return fmt.Errorf("backward: element %d is the %dth", i, next)
		}
	}
	if err := m.Err(); next != 0 || err != nil {
		return fmt.Errorf("iterations ended at %d: %w", next, err)
	}
	i := m.rnd.IntN(len(m.want)+2) - 1
	x, err := m.Load(i)
	if i < 0 || i == len(m.want) {
		if !errors.Is(err, acp.ErrOutOfRange) {
			return fmt.Errorf("element %d of %d: %w", i, n, err)
		}
	} else if x != m.want[i] || err != nil {
		return fmt.Errorf("element %d: %w", i, err)
	}
	return nil
}

// useElements lets p use a vector and a deque of Ts on each rank.
func useElements[T comparable](p *member, seed uint64, steps, most int, make func(*rand.Rand) T) error {
	for rank := range acp.Rank(p.Procs()) {
		v, err1 := acp.NewVector[T](p.Process, 3, rank)
		d, err2 := acp.NewDeque[T](p.Process, 3, rank)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		v, err1 = acp.VectorAt[T](p.Process, v.Address())
		d, err2 = acp.DequeAt[T](p.Process, d.Address())
		var zero [3]T
		rnd := rand.New(rand.NewPCG(seed, uint64(p.Rank()*100+rank)))
		for _, m := range []*elementModel[T]{{elements: v, want: zero[:]}, {elements: d}} {
			m.rnd, m.make, m.most = rnd, make, most
			err := errors.Join(err1, err2, m.check())
			for i := 0; i < steps && err == nil; i++ {
				err = m.step()
			}
			if err = errors.Join(err, m.check()); err != nil {
				return fmt.Errorf("%T on rank %d: %w", m.elements, rank, err)
			}
		}
		other, err1 := acp.NewVector[T](p.Process, 1, p.Rank())
		xs, err2 := v.Slice()
		if err := errors.Join(err1, err2, other.Swap(v), v.Assign(other)); err != nil {
			return err
		}
		for _, w := range []*acp.Vector[T]{v, other} {
			if got, err := w.Slice(); err != nil || !slices.Equal(got, xs) {
				return fmt.Errorf("%d elements after swap and assignment: %w", len(got), err)
			}
		}
		if err := errors.Join(v.Destroy(), d.Destroy(), other.Destroy()); err != nil {
			return err
		}
	}
	return nil
}

// TestElementsModel compares vectors and deques of values with slices.
func TestElementsModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	steps := map[bridge.Mode]int{bridge.ModeSHM: 2000, bridge.ModeTCP: 400}
	forEachMode(t, []int{1, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			err := useElements(p, seed, steps[mode], 9, (*rand.Rand).Uint64)
			if err == nil {
				err = useElements(p, seed, steps[mode], 9, func(r *rand.Rand) reading {
					return reading{Station: uint16(r.Uint32()), Value: r.Float64(), Flags: [3]bool{true, false, r.IntN(2) == 0}}
				})
			}
			if err == nil {
				err = useElements(p, seed, 40, 3, func(r *rand.Rand) (x page) {
					x[0], x[len(x)-1] = r.Uint64(), r.Uint64()
					return x
				})
			}
			if err == nil {
				err = useElements(p, seed, 10, 6000, func(r *rand.Rand) uint8 { return uint8(r.Uint32()) })
			}
			return errors.Join(err, wholeHeap(p))
		})
	})
}

func TestElementsErrors(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			other := 1 - p.Rank()
			_, badType := acp.NewVector[*int](p.Process, 0, other)
			_, badType2 := acp.DequeAt[string](p.Process, 1<<20)
			_, negative := acp.NewVector[int](p.Process, -1, other)
			_, negative2 := acp.NewDeque[int](p.Process, -1, other)
			_, rank := acp.NewDeque[int](p.Process, 1, 2)
			_, full := acp.NewVector[page](p.Process, int(^uint(0)>>1), other)
			v, err := acp.NewVector[int32](p.Process, 4, other)
			if err != nil {
				return err
			}
			_, before := v.Load(-1)
			for what, c := range map[string]struct{ err, want error }{
				"vector of pointers": {badType, acp.ErrBadType}, "deque of strings": {badType2, acp.ErrBadType},
				"vector of -1": {negative, acp.ErrBadSize}, "deque of -1": {negative2, acp.ErrBadSize},
				"no rank": {rank, acp.ErrBadRank}, "too many": {full, acp.ErrHeapFull},
				"element -1": {before, acp.ErrOutOfRange}, "store -1": {v.Store(-1, 0), acp.ErrOutOfRange},
				"insert at -1": {v.Insert(-1, 1), acp.ErrOutOfRange}, "erase -1": {v.Erase(-1, 1), acp.ErrOutOfRange},
				"reserve": {v.Reserve(int(^uint(0) >> 1)), acp.ErrHeapFull},
			} {
				if !errors.Is(c.err, c.want) {
					return fmt.Errorf("%s: %v, expected %v", what, c.err, c.want)
				}
			}
			for i := range v.All() {
				if i == 2 {
					break
				}
			}
			if err := errors.Join(v.Err(), v.Destroy()); err != nil {
				return err
			}
			for range v.All() {
				return errors.New("an element of what has been destroyed")
			}
			forward := v.Err()
			for range v.Backward() {
				return errors.New("an element of what has been destroyed")
			}
			if !errors.Is(forward, acp.ErrBadAddress) || !errors.Is(v.Err(), acp.ErrBadAddress) {
				return fmt.Errorf("iterations ended by %v, %v", forward, v.Err())
			}
			return nil
		})
	})
}

// TestElementsCost: on one host pushing and popping values allocates no memory of the process.
func TestElementsCost(t *testing.T) {
	besideIdle(t, acp.Config{}, func(p *member) error {
		d, err := acp.NewDeque[reading](p.Process, 10, 1)
		if err != nil {
			return err
		}
		var failed error
		x := reading{Station: 4, Value: 0.5}
		n := testing.AllocsPerRun(100, func() {
			err1, err2 := d.PushBack(x), d.PushFront(x, x)
			y, err3 := d.PopFront()
			z, err4 := d.PopBack()
			w, err5 := d.Load(0)
			failed = errors.Join(failed, err1, err2, err3, err4, err5, d.Store(0, x), d.Erase(0, 1))
			if x != y || y != z || z != w {
				failed = errors.New("other values came out")
			}
		})
		if n != 0 || failed != nil {
			return fmt.Errorf("%v allocations, %v", n, failed)
		}
		return nil
	})
}

// TestElementsLayout: the elements have the layout of a C array.
func TestElementsLayout(t *testing.T) {
	run(t, 1, acp.Config{}, func(p *member) error {
		v, err := acp.NewVector[reading](p.Process, 2, 0)
		if err != nil {
			return err
		}
		x := reading{Station: 7, Value: 2.5}
		ga, err1 := v.Bytes().Locate(int(unsafe.Sizeof(x)))
		if err := errors.Join(err1, v.Store(1, x)); err != nil {
			return err
		}
		addr, err := p.QueryAddress(ga)
		if err != nil {
			return err
		}
		if got := *(*reading)(addr); got != x {
			return fmt.Errorf("in memory %v, expected %v", got, x)
		}
		return nil
	})
}
