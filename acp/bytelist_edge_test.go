package acp_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// alone runs body on rank 0 of two, while the other waits.
func alone(t *testing.T, body func(p *member) error) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, StarterSize: 1 << 16, HeapSize: acp.MinHeapSize}, func(p *member) error {
			if p.Rank() == 0 {
				if err := body(p); err != nil {
					return err
				}
			}
			return p.emptyHeap()
		})
	})
}

// listOf makes a list with one element for each letter, in turn on the two ranks.
func listOf(p *member, letters string) (acp.ByteList, []acp.ListIterator) {
	l := must(p.NewByteList(1))
	var places []acp.ListIterator
	for i := range letters {
		places = append(places, must(l.InsertBytes(l.End(), []byte(letters[i:i+1]), acp.Rank(i%2))))
	}
	return l, append(places, l.End())
}

// letters returns the letters in a list.
func letters(p *member, l acp.ByteList) string {
	var b []byte
	for it := must(l.Begin()); it != l.End(); it = must(l.Next(it)) {
		if err := p.move(must(p.StarterGA(0)), must(l.Deref(it)).GA, 1); err != nil {
			panic(err)
		}
		b = append(b, p.Starter()[0])
	}
	return string(b)
}

// TestListErrors: calls with wrong iterators and arguments fail, and do not change the lists.
func TestListErrors(t *testing.T) {
	alone(t, func(p *member) error {
		l, at := listOf(p, "abcd")
		other, foreign := listOf(p, "xyz")
		if _, err := l.Erase(at[3]); err != nil {
			return err
		}
		gone := at[3]
		elem := acp.Element{GA: must(p.StarterGA(1)), Size: 1}
		for name, test := range map[string]struct {
			want error
			call func() error
		}{
			"erase the end":         {acp.ErrBadIterator, func() error { _, err := l.Erase(l.End()); return err }},
			"erase null":            {acp.ErrBadIterator, func() error { _, err := l.Erase(acp.ListIterator{GA: l.Address()}); return err }},
			"erase foreign":         {acp.ErrBadIterator, func() error { _, err := l.Erase(foreign[0]); return err }},
			"erase twice":           {acp.ErrBadIterator, func() error { _, err := l.Erase(gone); return err }},
			"erase a wrong range":   {acp.ErrBadIterator, func() error { _, err := l.EraseRange(at[2], at[0]); return err }},
			"erase a foreign range": {acp.ErrBadIterator, func() error { _, err := l.EraseRange(at[0], foreign[0]); return err }},
			"erase from the end":    {acp.ErrBadIterator, func() error { _, err := l.EraseRange(l.End(), at[0]); return err }},
			"assign a mixed range":  {acp.ErrBadIterator, func() error { return l.AssignRange(at[0], foreign[0]) }},
			"assign a wrong range":  {acp.ErrBadIterator, func() error { return l.AssignRange(foreign[1], foreign[0]) }},
			"insert at foreign":     {acp.ErrBadIterator, func() error { _, err := l.Insert(foreign[0], elem, 0); return err }},
			"insert at gone":        {acp.ErrBadIterator, func() error { _, err := l.InsertBytes(gone, nil, 0); return err }},
			"insert at nowhere": {acp.ErrBadAddress, func() error {
				_, err := l.Insert(acp.ListIterator{GA: l.Address(), Elem: must(p.StarterGA(1))}, elem, 0)
				return err
			}},
			"insert nothing": {acp.ErrBadAddress, func() error { return l.PushBack(acp.Element{Size: 8}, 0) }},
			"insert too much": {acp.ErrHeapFull, func() error {
				return l.PushBackBytes(make([]byte, acp.MinHeapSize), 1)
			}},
			"push to no rank":      {acp.ErrBadRank, func() error { return l.PushBack(elem, 2) }},
			"push to rank -1":      {acp.ErrBadRank, func() error { return l.PushFrontBytes(nil, -1) }},
			"splice into foreign":  {acp.ErrBadIterator, func() error { return l.Splice(foreign[0], at[0]) }},
			"splice gone":          {acp.ErrBadIterator, func() error { return l.Splice(at[0], gone) }},
			"splice inside":        {acp.ErrBadIterator, func() error { return l.SpliceRange(at[1], at[0], at[2]) }},
			"splice a mixed range": {acp.ErrBadIterator, func() error { return l.SpliceRange(at[0], at[1], foreign[2]) }},
			"dereference the end":  {acp.ErrBadIterator, func() error { _, err := l.Deref(l.End()); return err }},
			"advance foreign":      {acp.ErrBadIterator, func() error { _, err := l.Advance(foreign[0], 1); return err }},
			"distance to foreign":  {acp.ErrBadIterator, func() error { _, err := l.Distance(at[0], foreign[0]); return err }},
			"no list":              {acp.ErrBadAddress, func() error { return p.ByteListAt(acp.NullGA).Clear() }},
			"starter memory":       {acp.ErrBadAddress, func() error { return p.ByteListAt(must(p.StarterGA(1))).Reverse() }},
			"a list on no rank":    {acp.ErrBadRank, func() error { _, err := p.NewByteList(2); return err }},
		} {
			var op *acp.OpError
			if err := test.call(); !errors.Is(err, test.want) || !errors.As(err, &op) {
				return fmt.Errorf("%s: %v", name, err)
			}
			if a, b := letters(p, l), letters(p, other); a != "abc" || b != "xyz" {
				return fmt.Errorf("%s: the lists are %q and %q", name, a, b)
			}
		}
		if err := errors.Join(l.Destroy(), other.Destroy()); err != nil {
			return err
		}
		if err := l.Destroy(); err == nil {
			return errors.New("destroyed twice")
		}
		return nil
	})
}

// TestListSpecialCases: cases that the historical library got wrong, and operations that change nothing.
func TestListSpecialCases(t *testing.T) {
	alone(t, func(p *member) error {
		byLetter := func(a, b acp.Element) int {
			var letter [2]byte
			for i, e := range []acp.Element{a, b} {
				if err := p.move(must(p.StarterGA(0)), e.GA, 1); err != nil {
					panic(err)
				}
				letter[i] = p.Starter()[0]
			}
			return bytes.Compare(letter[:1], letter[1:])
		}
		type places = []acp.ListIterator
		for name, test := range map[string]struct {
			call       func(l, m acp.ByteList, a, b places) error
			want, with string
		}{
			"splice before itself":      {func(l, _ acp.ByteList, a, _ places) error { return l.Splice(a[1], a[1]) }, "cab", "xy"},
			"splice before the next":    {func(l, _ acp.ByteList, a, _ places) error { return l.Splice(a[2], a[1]) }, "cab", "xy"},
			"splice the end":            {func(l, _ acp.ByteList, a, b places) error { return l.Splice(a[0], b[2]) }, "cab", "xy"},
			"splice an empty range":     {func(l, _ acp.ByteList, a, b places) error { return l.SpliceRange(a[0], b[1], b[1]) }, "cab", "xy"},
			"splice all":                {func(l, _ acp.ByteList, a, b places) error { return l.SpliceRange(a[0], b[0], b[2]) }, "xycab", ""},
			"splice to the end":         {func(l, _ acp.ByteList, a, _ places) error { return l.SpliceRange(a[3], a[0], a[2]) }, "bca", "xy"},
			"insert an empty range":     {func(l, _ acp.ByteList, a, b places) error { _, err := l.InsertRange(a[1], b[0], b[0]); return err }, "cab", "xy"},
			"insert the list in itself": {func(l, _ acp.ByteList, a, _ places) error { _, err := l.InsertRange(a[1], a[0], a[3]); return err }, "ccabab", "xy"},
			"erase an empty range":      {func(l, _ acp.ByteList, a, _ places) error { _, err := l.EraseRange(a[1], a[1]); return err }, "cab", "xy"},
			"erase all":                 {func(l, _ acp.ByteList, a, _ places) error { _, err := l.EraseRange(a[0], a[3]); return err }, "", "xy"},
			"assign the list to itself": {func(l, _ acp.ByteList, _, _ places) error { return l.Assign(l) }, "cab", "xy"},
			"assign a part of itself":   {func(l, _ acp.ByteList, a, _ places) error { return l.AssignRange(a[1], a[2]) }, "a", "xy"},
			"assign an empty range":     {func(l, _ acp.ByteList, _, b places) error { return l.AssignRange(b[2], b[2]) }, "", "xy"},
			"swap with itself":          {func(l, _ acp.ByteList, _, _ places) error { return l.Swap(l) }, "cab", "xy"},
			"swap with an empty list":   {func(l, m acp.ByteList, _, _ places) error { return errors.Join(m.Clear(), l.Swap(m)) }, "", "cab"},
			"swap":                      {func(l, m acp.ByteList, _, _ places) error { return l.Swap(m) }, "xy", "cab"},
			"merge with itself":         {func(l, _ acp.ByteList, _, _ places) error { return l.Merge(l, byLetter) }, "cab", "xy"},
			"merge with an empty list":  {func(l, m acp.ByteList, _, _ places) error { return errors.Join(m.Clear(), l.Merge(m, byLetter)) }, "cab", ""},
			"merge into an empty list":  {func(l, m acp.ByteList, _, _ places) error { return errors.Join(l.Clear(), l.Merge(m, byLetter)) }, "xy", ""},
			"sort, merge and reverse": {func(l, m acp.ByteList, _, _ places) error {
				return errors.Join(l.Sort(byLetter), l.Merge(m, byLetter), l.Reverse())
			}, "yxcba", ""},
			"pop until there is nothing": {func(l, _ acp.ByteList, _, _ places) error {
				return errors.Join(l.PopFront(), l.PopBack(), l.PopFront(), l.PopFront(), l.PopBack())
			}, "", "xy"},
			"remove an element by itself": {func(l, _ acp.ByteList, a, _ places) error {
				_, err := l.Remove(must(l.Deref(a[1])))
				return err
			}, "cb", "xy"},
		} {
			l, a := listOf(p, "cab")
			m, b := listOf(p, "xy")
			if err := test.call(l, m, a, b); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if x, y := letters(p, l), letters(p, m); x != test.want || y != test.with {
				return fmt.Errorf("%s: the lists are %q and %q, expected %q and %q", name, x, y, test.want, test.with)
			}
			if x, y := must(l.Len()), must(m.Len()); x != len(test.want) || y != len(test.with) {
				return fmt.Errorf("%s: the lists count %d and %d", name, x, y)
			}
			if err := errors.Join(l.Destroy(), m.Destroy()); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestListHeapFull: operations that need memory change nothing when the heap is full.
func TestListHeapFull(t *testing.T) {
	alone(t, func(p *member) error {
		l, a := listOf(p, "ab")
		if err := l.PushBackBytes(make([]byte, acp.MinHeapSize*2/5), 1); err != nil {
			return err
		}
		rest := must(p.Malloc(acp.MinHeapSize*2/5, 1))
		m := must(p.NewByteList(0))
		for name, call := range map[string]func() error{
			"insert range": func() error { _, err := l.InsertRange(a[0], a[0], l.End()); return err },
			"assign":       func() error { return m.Assign(l) },
			"assign range": func() error { return l.AssignRange(a[0], l.End()) },
		} {
			if err := call(); !errors.Is(err, acp.ErrHeapFull) {
				return fmt.Errorf("%s: %v", name, err)
			}
			if n, k := must(l.Len()), must(m.Len()); n != 3 || k != 0 {
				return fmt.Errorf("%s: %d and %d elements", name, n, k)
			}
		}
		return errors.Join(l.Destroy(), m.Destroy(), p.Free(rest))
	})
}

// TestListCosts: pushing to and popping from lists on this host allocates no Go memory.
func TestListCosts(t *testing.T) {
	besideIdle(t, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		l := must(p.NewByteList(0))
		e := acp.Element{GA: must(p.StarterGA(0)), Size: 8}
		b := make([]byte, 8)
		n := testing.AllocsPerRun(100, func() {
			err := errors.Join(l.PushBack(e, 1), l.PushFrontBytes(b, 1))
			it := must(l.Begin())
			must(l.Deref(must(l.Next(it))))
			must(l.Erase(must(l.Insert(it, e, 0))))
			if err := errors.Join(err, l.PopBack(), l.PopFront()); err != nil {
				panic(err)
			}
		})
		if n != 0 {
			return fmt.Errorf("%v allocations", n)
		}
		return l.Destroy()
	})
}
