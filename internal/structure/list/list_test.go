package list

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// TestHosts carries out the same operations on lists on one host, on two and on three, and
// expects the same results. (Package acp compares lists with a model.)
func TestHosts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	worlds := []*world{newWorld(0, 0, 0), newWorld(0, 0, 1), newWorld(0, 1, 1), newWorld(0, 1, 2)}
	lists := make([][]uint64, len(worlds))
	for i, w := range worlds {
		for rank := range 3 {
			r, err := w.do(t, am.Call{Op: OpCreate, GA: uint64(rank) << 44})
			if err != nil {
				t.Fatal(err)
			}
			lists[i] = append(lists[i], r.Val0)
		}
	}
	for step := range 3000 {
		var want string
		for i, w := range worlds {
			// Each world gets the same random numbers.
			rnd := rand.New(rand.NewPCG(seed, uint64(step)))
			got := randomStep(t, w, rnd, lists[i])
			for _, l := range lists[i] {
				got += " | " + w.contents(l)
			}
			got += w.usage()
			if i == 0 {
				want = got
			}
			if got != want {
				t.Fatalf("step %d on hosts %v: %.200s\nexpected %.200s", step, w.hosts, got, want)
			}
		}
	}
	for i, w := range worlds {
		for _, l := range lists[i] {
			if _, err := w.do(t, am.Call{Op: OpDestroy, GA: l}); err != nil {
				t.Error(err)
			}
		}
		if w.usage() != "[0 0 0]" {
			t.Errorf("left on hosts %v: %s", w.hosts, w.usage())
		}
		if (i == 0) != (w.trips == 0) || (i > 0) != (w.elsewhere > 0) {
			t.Errorf("%d round trips on hosts %v, %d of them in vain", w.trips, w.hosts, w.elsewhere)
		}
	}
}

// randomStep carries out one operation and returns its result as text.
func randomStep(t *testing.T, w *world, rnd *rand.Rand, lists []uint64) string {
	l, other := lists[rnd.IntN(3)], lists[rnd.IntN(3)]
	n, m := int(w.words(l).n), int(w.words(other).n)
	at, from := rnd.IntN(n+1), rnd.IntN(m+1)
	place, start := w.place(l, at), w.place(other, from)
	to := from + rnd.IntN(m+1-from)
	end := w.place(other, to)
	value := make([]byte, rnd.IntN(3))
	if rnd.IntN(100) == 0 {
		value = make([]byte, 3000)
	}
	for i := range value {
		value[i] = byte(rnd.IntN(2))
	}
	c := am.Call{GA: l}
	if n+m > 12 {
		c.Op = OpClear
		r, err := w.do(t, c)
		return fmt.Sprint(r.N, err)
	}
	compare := func(a, b *Element) (int, error) { return bytes.Compare(a.Value, b.Value), nil }
	switch k := rnd.IntN(14); k {
	case 0, 1, 2:
		c.Op, c.Data = OpInsert, value
		c.Args = [4]uint64{[]uint64{place, 0, l}[k], uint64(rnd.IntN(3))}
	case 3:
		c.Op, c.Args[0] = OpErase, []uint64{place, 0, l}[rnd.IntN(3)]
	case 4:
		c.Op, c.GA, c.Args = OpEraseRange, other, [4]uint64{start, end}
	case 5:
		c.Op, c.Args = OpAssign, [4]uint64{other, start, end}
	case 6:
		c.Op, c.Args = OpInsertRange, [4]uint64{place, other, start, end}
	case 7:
		if l == other && from < at && at < to {
			end = start // not into itself
		}
		c.Op, c.Args = OpMove, [4]uint64{place, other, start, end}
	case 8:
		c.Op, c.Args[0] = OpSwap, other
	case 9:
		c.Op = OpReverse
	case 10:
		c.Op, c.Data = OpRemove, value
	case 11:
		c.Op = OpUnique
	case 12:
		return fmt.Sprint(w.memory().Sort(l, true, compare), w.memory().Sort(other, true, compare),
			w.memory().Merge(l, other, true, compare))
	case 13:
		d, err := w.memory().Distance(other, start, end)
		step, err2 := w.memory().Step(l, place, int64(rnd.IntN(9)-4))
		return fmt.Sprint(d, err, err2, index(w, l, step))
	}
	r, err := w.do(t, c)
	if c.Op == OpErase || c.Op == OpInsert || c.Op == OpInsertRange {
		r.Val0 = uint64(index(w, l, r.Val0)) // addresses differ
	}
	return fmt.Sprint(c.Op, r.Val0, r.Val1, err)
}

func index(w *world, list, place uint64) int {
	for i := range int(w.words(list).n) + 1 {
		if w.place(list, i) == place {
			return i
		}
	}
	return -1
}

// listIn makes a list of n elements on all ranks in turn.
func listIn(t testing.TB, w *world, rank, n int) uint64 {
	r, err := w.do(t, am.Call{Op: OpCreate, GA: uint64(rank) << 44})
	for i := range n {
		c := am.Call{Op: OpInsert, GA: r.Val0, Data: []byte{byte(i)}}
		c.Args = [4]uint64{c.GA, uint64(i % len(w.hosts))}
		_, err2 := w.do(t, c)
		err = errors.Join(err, err2)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Val0
}

// TestRoundTrips: an operation on elements of one other host takes one round trip. Walking and sorting them
// takes one round trip for many elements.
func TestRoundTrips(t *testing.T) {
	w := newWorld(0, 1, 1)
	r, err := w.do(t, am.Call{Op: OpCreate, GA: 1 << 44})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Val0
	const n = 900
	trips := func(what string, most int, f func() error) {
		t.Helper()
		before := w.trips
		if err := f(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if w.trips-before > most {
			t.Errorf("%s: %d round trips, expected %d", what, w.trips-before, most)
		}
	}
	do := func(c am.Call) func() error {
		return func() error { _, err := w.do(t, c); return err }
	}
	for i := range n {
		trips("push", 1, do(am.Call{Op: OpInsert, GA: l, Args: [4]uint64{l, uint64(1 + i%2)}, Data: []byte{byte(i)}}))
	}
	trips("reversal", 1, do(am.Call{Op: OpReverse, GA: l}))
	trips("removal", 1, do(am.Call{Op: OpRemove, GA: l, Data: []byte{1}}))
	trips("pop", 1, do(am.Call{Op: OpErase, GA: l, Args: [4]uint64{l}}))
	trips("one step", 1, func() error { _, err := w.memory().Step(l, w.place(l, 2), 1); return err })
	trips("many steps", 2, func() error { _, err := w.memory().Step(l, w.place(l, 2), 800); return err })
	trips("distance", 3, func() error { _, err := w.memory().Distance(l, w.place(l, 2), l); return err })
	trips("sorting", 5, func() error {
		return w.memory().Sort(l, true, func(a, b *Element) (int, error) { return bytes.Compare(a.Value, b.Value), nil })
	})
	trips("clearing", 1, do(am.Call{Op: OpClear, GA: l}))

	w = newWorld(0, 1, 2)
	l = listIn(t, w, 1, 6)
	push := am.Call{Op: OpInsert, GA: l, Args: [4]uint64{l, 2}}
	trips("push on a third host", 6, do(push))
	trips("the same again", 6, do(push))
}

// TestDamage overwrites words of lists and checks that no operation crashes, hangs or frees
// memory that does not belong to the list.
func TestDamage(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	operations := []am.Op{
		OpDestroy, OpState, OpInsert, OpErase, OpEraseRange, OpClear, OpAssign, OpInsertRange, OpMove, OpSwap,
		OpReverse, OpRemove, OpUnique,
	}
	var w *world
	for round := range 1500 {
		if round%30 == 0 { // damaged lists leak blocks
			w = newWorld(0, 0, 1)
		}
		lists := []uint64{listIn(t, w, 0, 5), listIn(t, w, 1, 3), listIn(t, w, 2, 4)}
		var places []uint64
		for _, l := range lists {
			for i := range int(w.words(l).n) + 1 {
				places = append(places, w.place(l, i))
			}
		}
		someplace := func() uint64 {
			return []uint64{0, 1, rnd.Uint64(), 5 << 44, places[rnd.IntN(len(places))] + 8}[rnd.IntN(5)]
		}
		pick := func() uint64 {
			if rnd.IntN(4) == 0 {
				return someplace()
			}
			return places[rnd.IntN(len(places))]
		}
		for range 1 + rnd.IntN(3) {
			e := w.words(places[rnd.IntN(len(places))])
			*[]*uint64{&e.next, &e.prev, &e.n}[rnd.IntN(3)] = pick()
		}
		c := am.Call{Op: operations[rnd.IntN(len(operations))], GA: lists[rnd.IntN(3)]}
		c.Args = [4]uint64{pick(), pick(), pick(), pick()}
		if c.Op == OpInsert {
			c.Args[1] = uint64(rnd.IntN(4))
		}
		if _, err := Perform(w.memory(), &c); err != nil && errors.Is(err, am.ErrElsewhere) {
			t.Fatalf("operation %#x: %v", c.Op, err)
		}
		h := w.memory()
		h.Step(c.GA, pick(), int64(rnd.IntN(1<<40))-1<<39)
		h.Distance(c.GA, pick(), pick())
		h.Sort(c.GA, true, func(a, b *Element) (int, error) { return rnd.IntN(3) - 1, nil })
	}
}

// TestRings: an operation on links that agree but never lead to the end fails.
func TestRings(t *testing.T) {
	w := newWorld(0, 1)
	l := listIn(t, w, 0, 6)
	a, b := w.place(l, 2), w.place(l, 3)
	w.words(a).prev, w.words(b).next = b, a // a ring of two
	for name, f := range map[string]func(h *Heaps) error{
		"erase range": func(h *Heaps) error {
			_, err := Perform(h, &am.Call{Op: OpEraseRange, GA: l, Args: [4]uint64{a, l}})
			return err
		},
		"clear":    func(h *Heaps) error { _, err := Perform(h, &am.Call{Op: OpClear, GA: l}); return err },
		"distance": func(h *Heaps) error { _, err := h.Distance(l, a, l); return err },
	} {
		if err := f(w.memory()); !errors.Is(err, am.ErrBadIterator) {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.words(l).n = 1 << 60
	if _, err := w.memory().Step(l, a, 1<<60); !errors.Is(err, am.ErrBadIterator) {
		t.Errorf("step: %v", err)
	}
}

// TestSortOrder: sorting is stable, makes few comparisons, and stops if a comparison fails.
func TestSortOrder(t *testing.T) {
	w := newWorld(0)
	l := listIn(t, w, 0, 200)
	compared := 0
	parity := func(a, b *Element) (int, error) {
		compared++
		return int(a.Value[0]&1) - int(b.Value[0]&1), nil
	}
	if err := w.memory().Sort(l, true, parity); err != nil {
		t.Fatal(err)
	}
	elements, err := (&ring{heaps: w.memory(), ga: l, node: *w.words(l)}).all(true)
	if err != nil {
		t.Fatal(err)
	}
	sorted := slices.IsSortedFunc(elements, func(a, b Element) int {
		x, y := int(a.Value[0]), int(b.Value[0])
		return (x&1-y&1)*1000 + x - y
	})
	if !sorted || compared > 200*8 {
		t.Errorf("sorted %v after %d comparisons", sorted, compared)
	}
	before := w.contents(l)
	failed := errors.New("failed")
	err = w.memory().Sort(l, true, func(a, b *Element) (int, error) { return -1, failed })
	if !errors.Is(err, failed) || w.contents(l) != before {
		t.Errorf("a failed comparison: %v", err)
	}
}

// FuzzPerform: an agent neither crashes nor hangs for any message.
func FuzzPerform(f *testing.F) {
	w := newWorld(0, 1)
	l := listIn(f, w, 0, 4)
	for op := OpCreate; op <= OpUnique; op++ {
		c := am.Call{Op: op, GA: l, Args: [4]uint64{w.place(l, 1), l, w.place(l, 2), l}}
		f.Add(uint16(op), c.Append(nil), 64)
	}
	for op := OpRun; op <= OpCopies; op++ {
		c := am.Call{Op: op, GA: l, Args: [4]uint64{l, 100, 3}, Data: make([]byte, 48)}
		f.Add(uint16(op), c.Append(nil), 300)
	}
	f.Fuzz(func(t *testing.T, op uint16, message []byte, capacity int) {
		w := newWorld(0, 1)
		listIn(t, w, 0, 4)
		reply := make([]byte, min(max(capacity, 24), 1<<16))
		c, err := am.Decode(w.views[0], am.Op(op), message, reply)
		if err == nil {
			_, err = Perform(&Heaps{Views: process{w, 0}}, &c)
		}
		if _, err := am.Answer(reply, am.Result{}, err); err != nil {
			t.Errorf("an error that does not travel: %v", err)
		}
	})
}
