package acp_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
)

// refused expects the error of an invalid handle.
func refused(err error) error {
	var op *acp.OpError
	if errors.As(err, &op) && (errors.Is(err, acp.ErrBadAddress) || errors.Is(err, acp.ErrDestroyed)) {
		return nil
	}
	return fmt.Errorf("not refused: %v", err)
}

// listCalls are all operations on a list. bad is an invalid handle, good is a list with the places at.
func listCalls(p *member, bad, good acp.ByteList, at []acp.ListIterator) map[string]func() error {
	elem := acp.Element{GA: must(p.StarterGA(1)), Size: 1}
	end := bad.End()
	compare := func(a, b acp.Element) int { return 0 }
	return map[string]func() error{
		"destroy":    func() error { return bad.Destroy() },
		"clear":      func() error { return bad.Clear() },
		"size":       func() error { _, err := bad.Len(); return err },
		"empty":      func() error { _, err := bad.Empty(); return err },
		"begin":      func() error { _, err := bad.Begin(); return err },
		"push back":  func() error { return bad.PushBack(elem, 0) },
		"push front": func() error { return bad.PushFront(elem, 1) },
		"insert":     func() error { _, err := bad.Insert(end, elem, 0); return err },
		"pop back":   func() error { return bad.PopBack() },
		"pop front":  func() error { return bad.PopFront() },
		"reverse":    func() error { return bad.Reverse() },
		"unique":     func() error { _, err := bad.Unique(); return err },
		"remove":     func() error { _, err := bad.Remove(elem); return err },
		"sort":       func() error { return bad.Sort(compare) },
		"next":       func() error { _, err := bad.Advance(end, -1); return err },
		"distance": func() error {
			_, err := bad.Distance(acp.ListIterator{GA: bad.Address(), Elem: at[0].Elem}, end)
			return err
		},
		"assign":            func() error { return bad.Assign(good) },
		"assign from":       func() error { return good.Assign(bad) },
		"assign range":      func() error { return bad.AssignRange(at[0], at[1]) },
		"assign range from": func() error { return good.AssignRange(end, end) },
		"insert range":      func() error { _, err := bad.InsertRange(end, at[0], at[1]); return err },
		"insert range from": func() error { _, err := good.InsertRange(at[0], end, end); return err },
		"erase":             func() error { _, err := bad.Erase(acp.ListIterator{GA: bad.Address(), Elem: at[0].Elem}); return err },
		"erase range": func() error {
			_, err := bad.EraseRange(acp.ListIterator{GA: bad.Address(), Elem: at[0].Elem}, end)
			return err
		},
		"splice":       func() error { return bad.Splice(end, at[0]) },
		"splice from":  func() error { return good.Splice(at[0], acp.ListIterator{GA: bad.Address(), Elem: at[1].Elem}) },
		"splice range": func() error { return bad.SpliceRange(end, at[0], at[1]) },
		"splice range from": func() error {
			return good.SpliceRange(at[0], acp.ListIterator{GA: bad.Address(), Elem: at[1].Elem}, end)
		},
		"merge":              func() error { return bad.Merge(good, compare) },
		"merge from":         func() error { return good.Merge(bad, compare) },
		"swap":               func() error { return bad.Swap(good) },
		"swap with":          func() error { return good.Swap(bad) },
		"pop of a value":     func() error { _, err := must(acp.ListAt[byte](p.Process, bad.Address())).PopFront(); return err },
		"slice of values":    func() error { _, err := must(acp.ListAt[byte](p.Process, bad.Address())).Slice(); return err },
		"iteration backward": func() error { return backward(must(acp.ListAt[byte](p.Process, bad.Address()))) },
	}
}

func backward(l *acp.List[byte]) error {
	for range l.Backward() {
		break
	}
	return l.Err()
}

// stranger is a new list in the memory of a destroyed list.
type stranger struct {
	acp.ByteList
	places int
}

// reuse destroys a list and lets elements of a new list, with a value of 8 bytes each, have
// its memory.
func reuse(p *member, l acp.ByteList) (stranger, error) {
	s := stranger{ByteList: must(p.NewByteList(0))}
	if err := l.Destroy(); err != nil {
		return s, err
	}
	reused := 0
	for reused < 3 && s.places < 1000 {
		it, err := s.InsertBytes(s.End(), []byte("12345678"), 1) // as the list
		if err != nil {
			return s, err
		}
		s.places++
		if it.Elem == l.Address() || reused > 0 { // in the middle
			reused++
		}
	}
	if reused == 0 {
		return s, errors.New("no element is where the list was")
	}
	return s, nil
}

// check expects the stranger to be as it was.
func (s stranger) check() error {
	n, err := s.Len()
	if err != nil || n != s.places {
		return fmt.Errorf("a list of others has %d elements, expected %d: %w", n, s.places, err)
	}
	it, err := s.Begin()
	for left := s.places; err == nil && left > 0; left-- {
		var e acp.Element
		if e, err = s.Deref(it); err == nil && e.Size != 8 {
			return fmt.Errorf("an element of others has %d bytes", e.Size)
		}
		if err == nil {
			it, err = s.Next(it)
		}
	}
	if err != nil || it != s.End() {
		return fmt.Errorf("a list of others ends at %v: %w", it, err)
	}
	if it, err = s.Advance(s.End(), -s.places); err != nil || it != must(s.Begin()) {
		return fmt.Errorf("a list of others begins at %v: %w", it, err)
	}
	return nil
}

// TestStaleList: an operation on a destroyed list changes nothing, although its memory is now an element of
// another list.
func TestStaleList(t *testing.T) {
	alone(t, func(p *member) error {
		good, at := listOf(p, "abcd")
		bad, _ := listOf(p, "xyz")
		other, err := reuse(p, bad)
		if err != nil {
			return err
		}
		for what, call := range listCalls(p, bad, good, at) {
			if err := errors.Join(refused(call()), other.check()); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			if got := letters(p, good); got != "abcd" {
				return fmt.Errorf("%s: the good list is %q", what, got)
			}
		}
		return errors.Join(good.Destroy(), other.Destroy())
	})
}

// TestStalePlaces: iterators of removed elements change nothing if the memory is now another list or its
// first element.
func TestStalePlaces(t *testing.T) {
	alone(t, func(p *member) error {
		l, at := listOf(p, "abcd")
		gone := at[1] // on rank 1
		if _, err := l.Erase(gone); err != nil {
			return err
		}
		var others []acp.ByteList
		for i := 0; ; i++ {
			m := must(p.NewByteList(1))
			if others = append(others, m); m.Address() == gone.Elem {
				break
			}
			if i > 1000 {
				return errors.New("no list is where the element was")
			}
		}
		for what, call := range map[string]func() error{
			"erase":        func() error { _, err := l.Erase(gone); return err },
			"erase range":  func() error { _, err := l.EraseRange(gone, at[2]); return err },
			"insert":       func() error { _, err := l.InsertBytes(gone, []byte("x"), 0); return err },
			"splice":       func() error { return l.Splice(at[0], gone) },
			"splice to":    func() error { return l.Splice(gone, at[0]) },
			"splice range": func() error { return l.SpliceRange(at[0], gone, at[2]) },
			"assign range": func() error { return l.AssignRange(gone, at[2]) },
			"insert range": func() error { _, err := l.InsertRange(at[0], gone, at[2]); return err },
			"next":         func() error { _, err := l.Next(gone); return err },
			"deref":        func() error { _, err := l.Deref(gone); return err },
		} {
			if err := call(); !errors.Is(err, acp.ErrBadIterator) {
				return fmt.Errorf("%s: %v", what, err)
			}
			if got := letters(p, l); got != "acd" {
				return fmt.Errorf("%s: the list is %q", what, got)
			}
			if n, err := others[len(others)-1].Len(); err != nil || n != 0 {
				return fmt.Errorf("%s: the list of others has %d elements, %w", what, n, err)
			}
		}
		err := l.Destroy()
		for _, m := range others {
			err = errors.Join(err, m.Destroy())
		}
		return err
	})
}

// rowCalls are the operations on a vector or deque. bad is an invalid handle.
func rowCalls(p *member, bad, good byteRow) map[string]func() error {
	elem := acp.Element{GA: must(p.StarterGA(1)), Size: 8}
	begin, end := bad.Begin(), bad.Begin().Advance(4)
	calls := map[string]func() error{
		"size":              func() error { _, err := bad.Len(); return err },
		"capacity":          func() error { _, err := bad.Cap(); return err },
		"at":                func() error { _, err := bad.Locate(0); return err },
		"clear":             func() error { return bad.Clear() },
		"reserve":           func() error { return bad.Reserve(100) },
		"push back":         func() error { return bad.PushBack(elem) },
		"pop back":          func() error { return bad.PopBack(1) },
		"insert":            func() error { _, err := bad.Insert(begin, elem); return err },
		"erase":             func() error { _, err := bad.Erase(begin, 1); return err },
		"assign range":      func() error { return bad.AssignRange(good.Begin(), good.Begin().Advance(4)) },
		"assign range from": func() error { return good.AssignRange(begin, end) },
		"insert range":      func() error { _, err := bad.InsertRange(begin, good.Begin(), good.Begin().Advance(4)); return err },
		"insert range from": func() error { _, err := good.InsertRange(good.Begin(), begin, end); return err },
		"destroy":           func() error { return bad.Destroy() },
	}
	switch bad := bad.(type) {
	case acp.ByteVector:
		good := good.(acp.ByteVector)
		calls["assign"] = func() error { return bad.Assign(good) }
		calls["assign from"] = func() error { return good.Assign(bad) }
		calls["swap"] = func() error { return bad.Swap(good) }
		calls["swap with"] = func() error { return good.Swap(bad) }
	case acp.ByteDeque:
		good := good.(acp.ByteDeque)
		calls["push front"] = func() error { return bad.PushFront(elem) }
		calls["pop front"] = func() error { return bad.PopFront(1) }
		calls["assign"] = func() error { return bad.Assign(good) }
		calls["assign from"] = func() error { return good.Assign(bad) }
		calls["swap"] = func() error { return bad.Swap(good) }
		calls["swap with"] = func() error { return good.Swap(bad) }
	}
	return calls
}

// TestStaleRow: an operation on a destroyed vector or deque changes nothing, although its memory has the same
// bytes as before.
func TestStaleRow(t *testing.T) {
	alone(t, func(p *member) error {
		for rank := range acp.Rank(2) {
			v := staleRow{p, must(p.NewByteVector(24, 1)), must(p.NewByteVector(16, rank)), 3, 32}
			d := staleRow{p, must(p.NewByteDeque(24, 1)), must(p.NewByteDeque(16, rank)), 4, 40}
			if err := v.try(); err != nil {
				return fmt.Errorf("vector: %w", err)
			}
			if err := d.try(); err != nil {
				return fmt.Errorf("deque: %w", err)
			}
		}
		return nil
	})
}

// staleRow is a vector or deque on rank 1 that is destroyed, and one that is not.
type staleRow struct {
	p         *member
	bad, good byteRow
	words     int    // of the control block that programs may read
	block     uint64 // bytes of the control block
}

func (r staleRow) try() error {
	before, err := r.read()
	if err == nil {
		err = r.bad.Destroy()
	}
	var blocks []acp.GA
	for at := acp.NullGA; err == nil && at != r.bad.Address(); blocks = append(blocks, at) {
		at, err = r.p.Malloc(r.block, 1)
	}
	if err != nil {
		return err
	}
	copy(r.p.Starter(), before)
	if err := r.p.move(r.bad.Address(), must(r.p.StarterGA(0)), len(before)); err != nil {
		return err
	}
	for what, call := range rowCalls(r.p, r.bad, r.good) {
		if err := refused(call()); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if now, err := r.read(); err != nil || now != before {
			return fmt.Errorf("%s has written to memory of others: %w", what, err)
		}
	}
	for _, block := range blocks {
		err = errors.Join(err, r.p.Free(block))
	}
	return errors.Join(err, r.good.Destroy())
}

// read returns the bytes where the control block was.
func (r staleRow) read() (string, error) {
	err := r.p.move(must(r.p.StarterGA(0)), r.bad.Address(), 8*r.words)
	return string(r.p.Starter()[:8*r.words]), err
}

// TestBadHandles: invalid handles give errors, as the first and as the second handle of an operation.
func TestBadHandles(t *testing.T) {
	alone(t, func(p *member) error {
		block := must(p.Malloc(64, 1))
		l, at := listOf(p, "abcd")
		v, d := must(p.NewByteVector(24, 1)), must(p.NewByteDeque(24, 1))
		if err := d.PushBack(acp.Element{GA: must(p.StarterGA(0)), Size: 8}); err != nil {
			return err
		}
		var errs []error
		for _, ga := range []acp.GA{0, 8, must(p.StarterGA(1)), block, block + 1, block + 1<<40, 2 << 44, 5 << 44, ^acp.GA(0), ^acp.GA(7)} {
			for _, calls := range []map[string]func() error{
				listCalls(p, p.ByteListAt(ga), l, at), rowCalls(p, p.ByteVectorAt(ga), v), rowCalls(p, p.ByteDequeAt(ga), d),
			} {
				for what, call := range calls {
					err := call()
					if ga == acp.NullGA && errors.Is(err, acp.ErrBadIterator) {
						continue // places of no list
					}
					if err = refused(err); err != nil {
						errs = append(errs, fmt.Errorf("%s at %v: %w", what, ga, err))
					}
				}
			}
		}
		if got := letters(p, l); got != "abcd" {
			errs = append(errs, fmt.Errorf("the list is %q", got))
		}
		return errors.Join(append(errs, holds(v, 24), holds(d, 8), l.Destroy(), v.Destroy(), d.Destroy(), p.Free(block))...)
	})
}

func holds(r byteRow, want uint64) error {
	n, err := r.Len()
	if err == nil && n != want {
		err = fmt.Errorf("%T of %d bytes, expected %d", r, n, want)
	}
	return err
}

// TestBadSecondHandle: with any invalid second handle of a set, multiset or map, the operation fails and the
// first structure is unchanged.
func TestBadSecondHandle(t *testing.T) {
	alone(t, func(p *member) error {
		block := must(p.Malloc(64, 1))
		var errs []error
		for what, ga := range map[string]acp.GA{
			"null": 0, "crooked": block + 4, "a block": block, "no rank": 5 << 44, "the last rank": ^acp.GA(7),
			"starter memory": must(p.StarterGA(1)), "no memory": block + 1<<39,
		} {
			for _, shape := range []acp.TableAddress{{GA: ga, Ranks: 2, Slots: 8}, {GA: ga, Ranks: 1, Slots: 1}, {GA: ga}, {GA: ga, Ranks: 1 << 40, Slots: 1 << 40}} {
				if err := badSecondHandle(p, shape); err != nil {
					errs = append(errs, fmt.Errorf("%s, %+v: %w", what, shape, err))
				}
			}
		}
		return errors.Join(append(errs, p.Free(block))...)
	})
}

func badSecondHandle(p *member, bad acp.TableAddress) error {
	ranks := []acp.Rank{0, 1}
	s, m, w := must(p.NewByteSet(ranks, 8, 1)), must(p.NewByteMultiset(ranks, 8, 0)), must(p.NewByteMap(ranks, 8, 1))
	copy(p.Starter(), "key")
	key := acp.Element{GA: must(p.StarterGA(0)), Size: 3}
	for _, err := range []error{
		second(s.Insert(key)), second(m.Insert(key)), second(w.Insert(acp.Pair{First: key, Second: key})),
	} {
		if err != nil {
			return err
		}
	}
	s2, m2, w2 := p.ByteSetAt(bad), p.ByteMultisetAt(bad), p.ByteMapAt(bad)
	for what, err := range map[string]error{
		"swap of sets": s.Swap(s2), "swap with a set": s2.Swap(s), "assignment of sets": s.Assign(s2),
		"assignment to a set": s2.Assign(s), "local assignment of sets": s.AssignLocal(s2),
		"merge of sets": s.Merge(s2), "merge into a set": s2.Merge(s), "local merge of sets": s.MergeLocal(s2),
		"move of sets": s.Move(s2), "move into a set": s2.Move(s), "local move of sets": s.MoveLocal(s2),
		"swap of multisets": m.Swap(m2), "assignment of multisets": m.Assign(m2), "merge of multisets": m.Merge(m2),
		"move of multisets": m.Move(m2), "swap of maps": w.Swap(w2), "swap with a map": w2.Swap(w),
		"assignment of maps": w.Assign(w2), "merge of maps": w.Merge(w2), "move of maps": w.Move(w2),
		"move into a map": w2.Move(w),
	} {
		if err := refused(err); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	for _, err := range []error{holdsOne(s.Len()), holdsOne(m.Len()), holdsOne(w.Len()), s.Destroy(), m.Destroy(), w.Destroy()} {
		if err != nil {
			return err
		}
	}
	return nil
}

func second(_ bool, err error) error { return err }

func holdsOne(n int, err error) error {
	if err == nil && n != 1 {
		err = fmt.Errorf("%d elements, expected 1", n)
	}
	return err
}
