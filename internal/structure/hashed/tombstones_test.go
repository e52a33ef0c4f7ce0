package hashed

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// loop is an iteration over one table that changes it, beside a model of what it may
// return.
type loop struct {
	t     testing.TB
	rnd   *rand.Rand
	s     *heapview.View
	kind  Kind
	table *Table

	at     map[uint64]string // keys by the address of their element
	live   map[string]uint64 // addresses by key
	seen   map[string]bool   // by the iteration
	due    map[string]bool   // keys that were present at its beginning and have not been changed since
	blocks []uint64          // of other users, in memory of removed elements
	next   int               // number of the next new key
}

func (u *loop) do(op Op, slot uint32, c *am.Call) am.Result {
	u.t.Helper()
	u.table.Address(c, u.kind, op, slot)
	r, err := Perform(u.s, c)
	if err != nil {
		u.t.Fatalf("operation %d: %v", op, err)
	}
	return r
}

func (u *loop) slotOf(key string) uint32 {
	_, slot := SlotOf([]byte(key), 1, u.table.Slots)
	return slot
}

func (u *loop) insert() {
	key := fmt.Sprintf("key %d", u.next)
	u.next++
	u.do(Insert, u.slotOf(key), &am.Call{Data: []byte(key), More: []byte("value"), Args: [4]uint64{3: 1}})
	u.locate(key)
}

// locate records the address of an element.
func (u *loop) locate(key string) {
	ga := u.do(Find, u.slotOf(key), &am.Call{Data: []byte(key)}).Val0
	delete(u.at, u.live[key])
	u.at[ga], u.live[key] = key, ga
}

func (u *loop) remove(key string) {
	if u.do(Remove, u.slotOf(key), &am.Call{Data: []byte(key), Args: [4]uint64{3: 1}}).Val0 != 1 {
		u.t.Fatalf("%q was not there", key)
	}
	delete(u.at, u.live[key])
	delete(u.live, key)
	delete(u.due, key)
}

// replace stores a value of another length, so that the element moves.
func (u *loop) replace(key string) {
	if u.kind == Map {
		u.do(Insert, u.slotOf(key), &am.Call{
			Data: []byte(key), More: make([]byte, 1+u.rnd.IntN(100)), Args: [4]uint64{3: 1},
		})
		u.locate(key)
	}
}

// reuse allocates memory of removed elements for other uses, or frees such blocks.
func (u *loop) reuse() {
	if len(u.blocks) > 20 {
		if err := u.s.Free(u.blocks[0]); err != nil {
			u.t.Fatal(err)
		}
		u.blocks = u.blocks[1:]
		return
	}
	ga, err := u.s.Alloc(uint64(16 * (1 + u.rnd.IntN(4))))
	if err != nil {
		u.t.Fatal(err)
	}
	words, err := heapview.At[[2]uint64](u.s, ga)
	if err != nil {
		u.t.Fatal(err)
	}
	for i := range words { // like links
		words[i] = ga
		for other := range u.at {
			words[i] = other
			break
		}
	}
	u.blocks = append(u.blocks, ga)
}

// change changes the table as the body of a loop that is at key may, and as other ranks may
// meanwhile. It removes at most removals keys.
func (u *loop) change(key string, removals int) {
	if u.rnd.IntN(2) == 0 && removals > 0 {
		u.remove(key)
		removals--
	}
	for range u.rnd.IntN(4) {
		switch u.rnd.IntN(4) {
		case 0:
			u.insert()
		case 1:
			u.reuse()
		case 2:
			for any := range u.live {
				u.replace(any)
				break
			}
		case 3:
			for any := range u.live {
				if removals > 0 && (u.seen[any] || u.rnd.IntN(4) == 0) {
					u.remove(any)
					removals--
				}
				break
			}
		}
	}
}

// run iterates once and checks that every key that was present all the time was returned, and none twice.
func (u *loop) run(most, removals int) {
	u.seen, u.due = map[string]bool{}, map[string]bool{}
	for key := range u.live {
		u.due[key] = true
	}
	r := u.do(First, 0, &am.Call{})
	for turn := 0; r.Val0 != 0; turn++ {
		key, ok := u.at[r.Val0]
		if !ok {
			u.t.Fatalf("turn %d: no element at %#x", turn, r.Val0)
		}
		if u.seen[key] {
			u.t.Fatalf("turn %d: %q is returned twice", turn, key)
		}
		u.seen[key] = true
		delete(u.due, key)
		if turn < most { // otherwise new keys keep the iteration going
			u.change(key, removals)
		}
		r = u.do(Next, uint32(r.Val1), &am.Call{Args: [4]uint64{3: r.Val0}})
	}
	if len(u.due) > 0 {
		u.t.Fatalf("%d keys that were there all the time have not been returned, such as %v", len(u.due), u.due)
	}
}

// TestIterationModel: a loop may remove elements it has seen, while other ranks change the table and reuse
// the memory of removed elements.
func TestIterationModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for kind := range kinds {
		for _, slots := range []uint32{1, 3, 50} {
			t.Run(fmt.Sprintf("%d/%d", kind, slots), func(t *testing.T) {
				s, _, h := newView(alive)
				u := &loop{
					t: t, rnd: rand.New(rand.NewPCG(seed, uint64(slots))), s: s, kind: kind,
					table: newTable(t, s, kind, slots), at: map[uint64]string{}, live: map[string]uint64{},
				}
				for range 100 {
					for len(u.live) < 40 {
						u.insert()
					}
					u.run(60, min(3, int(tombstonesOf(slots))-1))
				}
				u.do(Destroy, 0, &am.Call{})
				if blocks, _, err := h.Usage(); err != nil || blocks != uint64(len(u.blocks)) {
					t.Errorf("%d blocks are left, %d of them of others, %v", blocks, len(u.blocks), err)
				}
			})
		}
	}
}

// TestRemovalOfMany: a loop that removes all elements it has seen, in either order, returns all other
// elements.
func TestRemovalOfMany(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		s, _, _ := newView(alive)
		u := &loop{
			t: t, s: s, kind: Set, table: newTable(t, s, Set, 1), at: map[uint64]string{}, live: map[string]uint64{},
		}
		for range 200 {
			u.insert()
		}
		var seen []string
		removed := 0
		for r := u.do(First, 0, &am.Call{}); r.Val0 != 0; r = u.do(Next, 0, &am.Call{Args: [4]uint64{3: r.Val0}}) {
			if seen = append(seen, u.at[r.Val0]); len(seen) < 20 {
				continue
			}
			for i := range seen {
				if backwards {
					i = len(seen) - 1 - i
				}
				u.remove(seen[i])
				u.insertNothing()
			}
			removed += len(seen)
			seen = nil
		}
		if removed != 200 || len(u.live) != 0 {
			t.Errorf("backwards %v: %d elements were seen and removed, %d are left", backwards, removed, len(u.live))
		}
	}
}

// insertNothing inserts a key and removes it, so that memory of elements is used again.
func (u *loop) insertNothing() {
	u.insert()
	u.remove(fmt.Sprintf("key %d", u.next-1))
}

// TestForeignElement: the memory of a removed element may be that of an element of another slot now. An
// iteration from there does not continue in that slot.
func TestForeignElement(t *testing.T) {
	s, _, _ := newView(alive)
	u := &loop{
		t: t, s: s, kind: Set, table: newTable(t, s, Set, 2), at: map[uint64]string{}, live: map[string]uint64{},
	}
	for len(u.live) < 20 {
		u.insert()
	}
	for key, ga := range u.live {
		other := 1 - u.slotOf(key)
		c := am.Call{Args: [4]uint64{3: ga}, Out: make([]byte, 4096)}
		if next := u.do(Next, other, &c); next.Val0 != 0 && uint32(next.Val1) <= other {
			t.Fatalf("from an element of slot %d to slot %d", 1-other, next.Val1)
		}
		n := u.do(Export, other, &c).N
		for b := c.Out[:n]; len(b) > 0; {
			r, rest, ok := u.kind.Record(b)
			if !ok || r.Slot != u.slotOf(string(r.Key)) {
				t.Fatalf("slot %d is said to have %q, which is in slot %d", r.Slot, r.Key, u.slotOf(string(r.Key)))
			}
			b = rest
		}
	}
}

// TestNotesOfFullHeap: insertion into a full heap uses the memory of the element that was removed
// last.
func TestTombstonesOfFullHeap(t *testing.T) {
	s, _, _ := newView(alive)
	u := &loop{
		t: t, s: s, kind: Set, table: newTable(t, s, Set, 1), at: map[uint64]string{}, live: map[string]uint64{},
	}
	u.insert()
	u.insert()
	u.do(First, 0, &am.Call{}) // from now on there are tombstones
	for size := uint64(heap.Unit); size >= 16; {
		if _, err := s.Alloc(size); err != nil {
			size /= 2
		}
	}
	for range 10 {
		u.remove("key 0")
		u.next = 0
		u.insert()
	}
}

// TestDeleteOfChanged: Delete leaves a pair in a map whose value is not that of the record.
func TestDeleteOfChanged(t *testing.T) {
	s, _, _ := newView(alive)
	u := &loop{
		t: t, s: s, kind: Map, table: newTable(t, s, Map, 1, "a", "b"), at: map[uint64]string{}, live: map[string]uint64{},
	}
	out := make([]byte, 1024)
	records := out[:u.do(Export, 0, &am.Call{Out: out}).N]
	u.do(Insert, 0, &am.Call{Data: []byte("b"), More: []byte("newer"), Args: [4]uint64{3: 1}})
	if r := u.do(Delete, 0, &am.Call{Data: records}); r.Val0 != 1 {
		t.Errorf("%d pairs were deleted, expected 1", r.Val0)
	}
	value := make([]byte, 100)
	if r := u.do(Find, 0, &am.Call{Data: []byte("b"), Out: value}); string(value[:r.N]) != "newer" {
		t.Errorf("the newer value is %q", value[:r.N])
	}
}
