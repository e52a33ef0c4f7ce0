package hashed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/network/am"
)

// askMany carries out op on the keys of slots, and returns the outcomes.
func askMany(t *testing.T, do func(c *am.Call) (am.Result, error), table *Table, kind Kind, op int, arg uint64, capacity int, records []Record) []Outcome {
	t.Helper()
	var c am.Call
	table.Address(&c, kind, manyOps[op], 0)
	c.Op, c.Args[3], c.Out = manyNumber(kind, op), arg, make([]byte, capacity)
	for i := range records {
		c.Data = kind.AppendRecord(c.Data, &records[i])
	}
	r, err := do(&c)
	if err != nil {
		t.Fatal(err)
	}
	var all []Outcome
	for b := c.Out[:r.N]; len(b) > 0; {
		o, rest, ok := outcome(manyOps[op], b)
		if !ok {
			t.Fatalf("an outcome at the end of %d bytes cannot be decoded", r.N)
		}
		all, b = append(all, o), rest
	}
	return all
}

// TestOutcomesOfMany: each key has its own outcome, in order, and keys for whose outcomes there is no room
// are not changed.
func TestOutcomesOfMany(t *testing.T) {
	s, _, h := newView(alive)
	do := func(c *am.Call) (am.Result, error) { return Perform(s, c) }
	table := newTable(t, s, Map, 2)
	long := bytes.Repeat([]byte("x"), 100)
	records := []Record{
		{Slot: 0, Key: []byte("a"), Value: []byte("1")}, {Slot: 0, Key: []byte("a"), Value: []byte("2")},
		{Slot: 1, Key: []byte("b"), Value: long}, {Slot: 2, Key: []byte("c"), Value: []byte("3")},
		{Slot: 1, Key: []byte("d"), Value: make([]byte, testHeap)}, {Slot: 1, Key: []byte("e"), Value: []byte("4")},
	}
	got := askMany(t, do, table, Map, 1, 0, 5, records)
	if len(got) != 5 {
		t.Fatalf("%d outcomes in 5 bytes", len(got))
	}
	for i, want := range []struct {
		done bool
		err  error
	}{{true, nil}, {false, nil}, {true, nil}, {false, am.ErrMalformed}, {false, heap.ErrFull}} {
		if got[i].Done != want.done || !errors.Is(got[i].Err, want.err) || (got[i].Err == nil) != (want.err == nil) {
			t.Errorf("insertion %d: %+v, expected %+v", i, got[i], want)
		}
	}
	found := askMany(t, do, table, Map, 0, 1, 2*foundHead+1+99, records[1:])
	if len(found) != 1 || string(found[0].Value) != "1" || found[0].Extra != 1 {
		t.Errorf("with room for one: %+v", found)
	}
	found = askMany(t, do, table, Map, 0, 1, 5*foundHead+101, records[1:])
	if len(found) != 5 || string(found[1].Value) != string(long) || !errors.Is(found[2].Err, am.ErrMalformed) || found[3].Done || found[4].Done {
		t.Errorf("with room for all: %+v", found)
	}
	found = askMany(t, do, table, Map, 0, 1, foundHead+99, records[2:3])
	if len(found) != 1 || !found[0].Done || found[0].Extra != 100 || len(found[0].Value) != 0 {
		t.Errorf("a value that is too long: %+v", found)
	}
	found = askMany(t, do, table, Map, 0, 0, 2*foundHead, records[1:3])
	if len(found) != 2 || found[1].Extra != 100 || len(found[1].Value) != 0 {
		t.Errorf("without values: %+v", found)
	}
	removed := askMany(t, do, table, Map, 2, Everywhere, 5, records[:5])
	if len(removed) != 5 || !removed[0].Done || removed[1].Done || !removed[2].Done || removed[4].Done {
		t.Errorf("removals: %+v", removed)
	}
	if blocks, _, err := h.Usage(); blocks != 1 || err != nil {
		t.Errorf("%d blocks beside that of the table, %v", blocks-1, err)
	}
	for n := range table.Slots { // no lock is left
		l := *table
		var c am.Call
		l.Address(&c, Map, Find, n)
		c.Data = []byte("a")
		if _, err := Perform(s, &c); err != nil {
			t.Error(err)
		}
	}
}

// TestManyMalformed: a request that no correct process sends changes nothing behind the first record that
// is wrong.
func TestManyMalformed(t *testing.T) {
	s, _, _ := newView(alive)
	table := newTable(t, s, Set, 2)
	var c am.Call
	table.Address(&c, Set, Insert, 0)
	c.Out = make([]byte, 10)
	for what, data := range map[string][]byte{
		"no key": make([]byte, recordHead), "half a record": make([]byte, 5),
		"a block": appendWords(nil, 0, elsewhereKey, 100, 8),
	} {
		c.Op, c.Data = manyNumber(Set, 1), data
		if _, err := Perform(s, &c); !errors.Is(err, am.ErrMalformed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, number := range []am.Op{manyNumber(Set, len(manyOps)), manyNumber(kinds, 0)} {
		c.Op = number
		if _, err := Perform(s, &c); !errors.Is(err, am.ErrMalformed) {
			t.Errorf("operation %#x: %v", number, err)
		}
	}
}

// TestHolder: one lock is held for keys of one slot that follow each other, up to a bound, and none is left.
func TestHolder(t *testing.T) {
	s, _, _ := newView(alive)
	placed := newTable(t, s, Set, 3)
	at, err := open(s, Set, placed.GA, placed.Directory, placed.Position(), placed.Slots, false)
	if err != nil {
		t.Fatal(err)
	}
	h := holder{table: &at}
	taken := func(n uint32) bool {
		l, _ := at.slot(n)
		return l.lock != 0
	}
	for i := range 3 * longestHold {
		n := uint32(i / longestHold)
		if _, err := h.hold(n); err != nil || !taken(n) || n > 0 && taken(n-1) {
			t.Fatalf("key %d, slot %d: %v", i, n, err)
		}
	}
	if left := h.left; left != 0 {
		t.Errorf("the lock may be held for %d keys more", left)
	}
	h.release()
	for n := range uint32(3) {
		if taken(n) {
			t.Errorf("the lock of slot %d is held", n)
		}
	}
}

// FuzzOutcome decodes arbitrary answers of a peer. A decoded answer is encoded to the same meaning again.
func FuzzOutcome(f *testing.F) {
	for op := range manyOps {
		f.Add(op, []byte{0, 1, 2, 11, 255})
		f.Add(op, appendWords(nil, 8, 5, 5, 7))
		f.Add(op, appendWords(nil, foundFailed, 2, 0))
		f.Add(op, appendWords(nil, foundFailed, 1<<40, 0))
	}
	f.Fuzz(func(t *testing.T, op int, b []byte) {
		what := manyOps[uint(op)%uint(len(manyOps))]
		for len(b) > 0 {
			o, rest, ok := outcome(what, b)
			if !ok {
				return
			}
			if len(rest) >= len(b) {
				t.Fatalf("%d bytes are left of %d", len(rest), len(b))
			}
			if number, known := am.ErrorNumber(o.Err); known && (what != Find || uint64(len(o.Value)) == o.Extra || !o.Done) {
				again, fits := appendOutcome(make([]byte, 0, len(b)), what, &o, number, true)
				if used := b[:len(b)-len(rest)]; !fits || !sameOutcome(what, again, used) {
					t.Fatalf("%x is encoded as %x", used, again)
				}
			}
			b = rest
		}
	})
}

// sameOutcome reports whether two encodings mean the same. An absent key has several encodings, and so has an
// error with an unknown number.
func sameOutcome(op Op, a, b []byte) bool {
	if op != Find {
		return a[0] == b[0] || a[0] > 1 && b[0] > 1
	}
	elem := binary.LittleEndian.Uint64(b)
	return bytes.Equal(a, b) || elem == 0 || elem == foundFailed
}
