package acp_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestRowCapacities: capacities are those of the historical library, which programs print.
func TestRowCapacities(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			other := 1 - p.Rank()
			four := acp.Element{GA: must(p.StarterGA(p.Rank())), Size: 4}
			for _, c := range []struct{ create, reserve, pushes, vectorSize, vector, deque uint64 }{
				{create: 0},
				{create: 24, vectorSize: 24, vector: 24, deque: 24},
				{create: 5, vectorSize: 5, vector: 8, deque: 8},
				{reserve: 12, vector: 16, deque: 12},
				{pushes: 1, vectorSize: 4, vector: 8, deque: 4},
				{pushes: 2, vectorSize: 8, vector: 8, deque: 8},
				{pushes: 3, vectorSize: 12, vector: 16, deque: 12},
				{pushes: 6, vectorSize: 24, vector: 24, deque: 24},
				{pushes: 7, vectorSize: 28, vector: 32, deque: 28},
			} {
				v, err1 := p.NewByteVector(c.create, other)
				d, err2 := p.NewByteDeque(c.create, other)
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				dequeSize := c.pushes * 4
				for _, r := range []struct {
					byteRow
					size, capacity uint64
				}{{v, c.vectorSize, c.vector}, {d, dequeSize, c.deque}} {
					err := r.Reserve(c.reserve)
					for range c.pushes {
						err = errors.Join(err, r.PushBack(four))
					}
					size, err1 := r.Len()
					capacity, err2 := r.Cap()
					if err := errors.Join(err, err1, err2, r.Destroy()); err != nil {
						return err
					}
					if size != r.size || capacity != r.capacity {
						return fmt.Errorf("%+v: %T has %d of %d bytes", c, r.byteRow, size, capacity)
					}
				}
			}
			return wholeHeap(p)
		})
	})
}

// TestRowGrowth: many small additions seldom move the bytes, and the capacity stays close to the size.
func TestRowGrowth(t *testing.T) {
	run(t, 1, acp.Config{}, func(p *member) error {
		v, err1 := p.NewByteVector(0, 0)
		d, err2 := p.NewByteDeque(0, 0)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		e := acp.Element{GA: must(p.StarterGA(0)), Size: 8}
		for _, r := range []byteRow{v, d} {
			moves, last := 0, uint64(0)
			const pushes = 100_000
			for i := range uint64(pushes) {
				err := r.PushBack(e)
				c, err2 := r.Cap()
				if err := errors.Join(err, err2); err != nil {
					return err
				}
				if c != last {
					moves, last = moves+1, c
				}
				if c > max(8*(i+1)*3/2, 1032) {
					return fmt.Errorf("capacity %d for %d bytes", c, 8*(i+1))
				}
			}
			if moves > 200 {
				return fmt.Errorf("the storage of %T was replaced %d times in %d additions", r, moves, pushes)
			}
		}
		return errors.Join(v.Destroy(), d.Destroy())
	})
}

// TestDequeOffset: the offset of the ring moves as in the historical library, for programs that read it.
func TestDequeOffset(t *testing.T) {
	run(t, 2, acp.Config{StarterSize: 2 * rowArea}, func(p *member) error {
		u, err := newRowUser(p, 0)
		if err != nil {
			return err
		}
		d, err1 := p.NewByteDeque(24, 1-p.Rank())
		e, err2 := p.NewByteDeque(24, p.Rank())
		f, err3 := p.NewByteDeque(24, 1-p.Rank())
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		b := acp.Element{GA: u.area[p.Rank()], Size: 8}
		steps := []struct {
			name   string
			do     func() error
			offset uint64
		}{
			{"create", func() error { return nil }, 0},
			{"push front", func() error { return d.PushFront(b) }, 16},
			{"push back", func() error { return d.PushBack(b) }, 16},
			{"pop front", func() error { return d.PopFront(4) }, 20},
			{"pop front around the end", func() error { return d.PopFront(8) }, 4},
			{"pop back of more than all", func() error { return d.PopBack(100) }, 4},
			{"push front around the beginning", func() error { return d.PushFront(b) }, 20},
			{"assign to itself", func() error { return d.Assign(d) }, 0},
			{"push front", func() error { return d.PushFront(b) }, 16},
			{"swap between ranks", func() error { return d.Swap(e) }, 0},
			{"swap back", func() error { return e.Swap(d) }, 0},
			{"push front", func() error { return d.PushFront(b) }, 16},
			{"clear", d.Clear, 0},
			{"push front", func() error { return d.PushFront(b) }, 16},
			{"swap on one rank", func() error {
				err := errors.Join(f.PushFront(b), d.Swap(f))
				if _, offset, _, _, err := (&modelled{byteRow: f}).control(u); offset != 0 || err != nil {
					return fmt.Errorf("the other begins at %d: %w", offset, err)
				}
				return err
			}, 0},
			{"push front", func() error { return d.PushFront(b) }, 16},
			{"reallocation", func() error { return d.Reserve(100) }, 0},
			{"push front", func() error { return d.PushFront(b) }, 92},
			{"clear", d.Clear, 0},
		}
		for _, s := range steps {
			if err := s.do(); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			m := modelled{byteRow: d}
			_, offset, size, capacity, err := m.control(u)
			if offset != s.offset || err != nil {
				return fmt.Errorf("after %s: offset %d, size %d, capacity %d, %v; expected offset %d", s.name, offset, size, capacity, err, s.offset)
			}
		}
		return errors.Join(d.Destroy(), e.Destroy(), f.Destroy(), wholeHeap(p))
	})
}

// TestRowErrors: every mistake returns an error and changes nothing.
func TestRowErrors(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize, StarterSize: 2 * rowArea}, func(p *member) error {
			u, err := newRowUser(p, 1)
			if err != nil {
				return err
			}
			for _, rank := range []acp.Rank{-1, 2} {
				_, err1 := p.NewByteVector(8, rank)
				_, err2 := p.NewByteDeque(8, rank)
				if !errors.Is(err1, acp.ErrBadRank) || !errors.Is(err2, acp.ErrBadRank) {
					return fmt.Errorf("on rank %d: %v, %v", rank, err1, err2)
				}
			}
			other := 1 - p.Rank()
			for _, size := range []uint64{acp.MinHeapSize + 1, 1 << 50, ^uint64(0), ^uint64(0) - 7} {
				_, err1 := p.NewByteVector(size, other)
				_, err2 := p.NewByteDeque(size, other)
				if !errors.Is(err1, acp.ErrHeapFull) || !errors.Is(err2, acp.ErrHeapFull) {
					return fmt.Errorf("%d bytes: %v, %v", size, err1, err2)
				}
			}
			v, err1 := p.NewByteVector(0, other)
			w, err2 := p.NewByteVector(0, other)
			d, err3 := p.NewByteDeque(0, other)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			source := acp.Element{GA: u.area[p.Rank()], Size: 20}
			for _, r := range []byteRow{v, w, d} {
				m := &modelled{byteRow: r, want: make([]byte, 20)}
				if err := r.PushBack(source); err != nil {
					return err
				}
				if err := mistakes(u, m, w); err != nil {
					return fmt.Errorf("%T: %w", r, err)
				}
			}
			if err := errors.Join(v.Destroy(), w.Destroy(), d.Destroy()); err != nil {
				return err
			}
			for _, r := range []byteRow{v, d} {
				_, err := r.Len()
				if err2 := r.Destroy(); !errors.Is(err, acp.ErrBadAddress) || !errors.Is(err2, acp.ErrBadAddress) {
					return fmt.Errorf("after its destruction: %v, %v", err, err2)
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			all, err := p.Malloc(acp.MinHeapSize, other)
			return errors.Join(err, p.Free(all))
		})
	})
}

// mistakes makes all mistakes on m, whose bytes are all zero.
func mistakes(u *rowUser, m *modelled, stranger byteRow) error {
	far := acp.GA(5) << 44
	begin := m.Begin()
	_, notMine := m.Insert(acp.SequenceIterator{GA: far}, acp.Element{})
	_, before := m.Insert(begin.Advance(-1), acp.Element{GA: u.area[0], Size: 1})
	_, beforeErased := m.Erase(begin.Advance(-1), 1)
	_, otherEnd := m.EraseRange(begin, acp.SequenceIterator{GA: far, Index: 7})
	_, otherPart := m.InsertRange(begin, begin, acp.SequenceIterator{GA: far, Index: 7})
	_, end := m.Locate(20)
	_, beforeBegin := m.Locate(-1)
	for what, c := range map[string]struct{ err, want error }{
		"insert elsewhere":        {notMine, acp.ErrBadIterator},
		"insert before the begin": {before, acp.ErrBadIterator},
		"erase before the begin":  {beforeErased, acp.ErrBadIterator},
		"erase of two":            {otherEnd, acp.ErrBadIterator},
		"insert of two":           {otherPart, acp.ErrBadIterator},
		"assign of two":           {m.AssignRange(begin, acp.SequenceIterator{GA: far}), acp.ErrBadIterator},
		"assign before the begin": {m.AssignRange(begin.Advance(-1), begin), acp.ErrBadIterator},
		"the end":                 {end, acp.ErrOutOfRange},
		"before the begin":        {beforeBegin, acp.ErrOutOfRange},
		"too much":                {m.PushBack(acp.Element{GA: u.area[0], Size: 1 << 40}), acp.ErrHeapFull},
		"more than there can be":  {m.PushBack(acp.Element{GA: u.area[0], Size: ^uint64(0)}), acp.ErrBadAddress},
		"null":                    {m.PushBack(acp.Element{Size: 8}), acp.ErrBadAddress},
		"no rank":                 {m.PushBack(acp.Element{GA: far, Size: 8}), acp.ErrBadAddress},
		"reserve too much":        {m.Reserve(acp.MinHeapSize + 1), acp.ErrHeapFull},
		"reserve much too much":   {m.Reserve(^uint64(0)), acp.ErrHeapFull},
	} {
		if !errors.Is(c.err, c.want) {
			return fmt.Errorf("%s: %v, expected %v", what, c.err, c.want)
		}
		if err := m.check(u); err != nil {
			return fmt.Errorf("after %s: %w", what, err)
		}
	}
	if it, err := m.EraseRange(begin.Advance(3), begin.Advance(3)); it != begin.Advance(3) || err != nil {
		return fmt.Errorf("erasure of nothing: %v, %v", it, err)
	}
	if it, err := m.InsertRange(begin.Advance(3), stranger.Begin(), stranger.Begin()); it != begin.Advance(3) || err != nil {
		return fmt.Errorf("insertion of nothing: %v, %v", it, err)
	}
	if begin.Advance(2).Distance(begin.Advance(9)) != 7 || begin.Distance(begin.Advance(-3)) != -3 {
		return errors.New("distances")
	}
	return m.check(u)
}

// TestRowHandles: invalid handles give errors, and no process crashes.
func TestRowHandles(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			other := 1 - p.Rank()
			block, err := p.Malloc(64, other)
			if err != nil {
				return err
			}
			starter := must(p.StarterGA(p.Rank()))
			// Bytes that look like a control block whose storage is elsewhere.
			copy(p.Starter(), "\x00\x00\x00\x00\x00\x50\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00")
			h, err := p.Copy(block, starter, 64, acp.HandleNull)
			if err = errors.Join(err, p.Complete(h)); err != nil {
				return err
			}
			for _, ga := range []acp.GA{0, 8, starter, block, block + 1, block + 1<<40, 5 << 44, ^acp.GA(0)} {
				for _, r := range []byteRow{p.ByteVectorAt(ga), p.ByteDequeAt(ga)} {
					_, err1 := r.Len()
					_, err2 := r.Insert(r.Begin(), acp.Element{GA: starter, Size: 8})
					err3 := r.AssignRange(r.Begin(), r.Begin().Advance(1))
					for _, err := range []error{err1, err2, err3, r.PopBack(1), r.Clear(), r.Destroy()} {
						if !errors.Is(err, acp.ErrBadAddress) {
							return fmt.Errorf("%T at %v: %v", r, ga, err)
						}
					}
				}
			}
			return p.Free(block)
		})
	})
}

// TestRowCost: on one host an operation allocates no memory of the process.
func TestRowCost(t *testing.T) {
	besideIdle(t, acp.Config{}, func(p *member) error {
		v, err1 := p.NewByteVector(0, 1)
		d, err2 := p.NewByteDeque(0, 1)
		if err := errors.Join(err1, err2, v.Reserve(64), d.Reserve(64)); err != nil {
			return err
		}
		e := acp.Element{GA: must(p.StarterGA(0)), Size: 8}
		var failed error
		n := testing.AllocsPerRun(100, func() {
			_, err1 := v.Insert(v.Begin(), e)
			_, err2 := d.Insert(d.Begin(), e)
			_, err3 := v.Erase(v.Begin(), 8)
			_, err4 := d.Locate(3)
			failed = errors.Join(failed, err1, err2, err3, err4, v.PushBack(e), v.PopBack(8), d.PushFront(e), d.PopFront(8), d.PopBack(8))
		})
		if n != 0 || failed != nil {
			return fmt.Errorf("%v allocations, %v", n, failed)
		}
		return nil
	})
}
