package hashed

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// TestDestroyedWhileWaiting: an operation that waits for the lock of a slot, while the table is destroyed and
// its memory used again, fails and does not change that memory.
func TestDestroyedWhileWaiting(t *testing.T) {
	for op := Clear; op < ops; op++ {
		var table *Table
		var first, m []uint64
		s, mem, _ := newView(func() error {
			if first[0] == 1 { // the operation waits
				clear(m)
				clear(first)
			}
			return nil
		})
		table = newTable(t, s, Map, 1, "a", "b")
		other := newTable(t, s, Map, 1)
		at := (table.GA&(1<<44-1))/8 - testBase/8
		first, m = mem[at:at+4], mem[at+4:at+4+uint64(markSize/8)]
		first[0] = 1
		c := am.Call{Data: []byte("a"), More: []byte("new value"), Out: make([]byte, 100), Args: [4]uint64{3: 1}}
		switch op {
		case Import, Delete:
			c.Data = Map.AppendRecord(nil, &Record{Key: []byte("a"), Value: []byte("value")})
		case Exchange:
			c.Data, c.Args[3] = other.AppendIdentity(nil), other.GA
		}
		table.Address(&c, Map, op, 0)
		_, err := Perform(s, &c)
		if first[0] == 1 {
			continue // it takes no lock
		}
		if !errors.Is(err, am.ErrGone) {
			t.Errorf("operation %d: %v", op, err)
		}
		for i, w := range first {
			if w != 0 {
				t.Errorf("operation %d has written %#x to word %d of what is no slot any more", op, w, i)
			}
		}
	}
}

// TestUseWhileDestroying: operations during the destruction of their table succeed or return an error, and
// leak no memory.
func TestUseWhileDestroying(t *testing.T) {
	for range 100 {
		s, _, h := newView(alive)
		table := *newTable(t, s, Map, 3, "a", "b", "c", "d")
		var wg sync.WaitGroup
		for user := range uint64(4) {
			wg.Go(func() {
				table, rnd := table, rand.New(rand.NewPCG(user, 0))
				for {
					key := []byte{byte('a' + rnd.IntN(8))}
					_, slot := SlotOf(key, 1, 3)
					c := am.Call{Data: key, More: key, Out: make([]byte, 100), Args: [4]uint64{3: 1}}
					table.Address(&c, Map, []Op{Insert, Remove, Find, First, Count, Clear, Next}[rnd.IntN(7)], slot)
					if _, err := Perform(s, &c); err != nil {
						if !errors.Is(err, am.ErrGone) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		wg.Go(func() {
			var c am.Call
			table.Address(&c, Map, Destroy, 0)
			if _, err := Perform(s, &c); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if blocks, _, err := h.Usage(); blocks != 0 || err != nil {
			t.Fatalf("%d blocks are left, %v", blocks, err)
		}
	}
}
