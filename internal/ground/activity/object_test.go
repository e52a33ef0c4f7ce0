package activity

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestObject: readers see the object of a wait.
func TestObject(t *testing.T) {
	b, w := newPage(t)
	first, second := b.Sleep(On(Access, 3).At(0x1000, 7)), b.Sleep(On(Mutex, 3))
	v := look(t, w)
	if len(v.Sleepers) != 2 || v.Sleepers[0].Object != (Object{0x1000, 7}) || v.Sleepers[1].Object != (Object{}) {
		t.Errorf("%+v", v.Sleepers)
	}
	b.Wake(first)
	b.Wake(second)
}

// TestHold: readers see the locks that threads hold. Those for which there is no room are not shown.
func TestHold(t *testing.T) {
	b, w := newPage(t)
	var holds []Hold
	for i := range maxHolds + 3 {
		holds = append(holds, b.Hold(int64(i+1), int64(10*i)))
	}
	if v := look(t, w); len(v.Holds) != int(maxHolds) || v.Holds[5] != (Object{6, 50}) {
		t.Errorf("%d holds", len(v.Holds))
	}
	rand.Shuffle(len(holds), func(i, j int) { holds[i], holds[j] = holds[j], holds[i] })
	for _, h := range holds {
		b.Release(h)
	}
	if v := look(t, w); len(v.Holds) != 0 {
		t.Errorf("%+v are left", v.Holds)
	}
	var nothing *Page
	nothing.Release(nothing.Hold(1, 2))
}

// TestHoldsAtChanges: a reader sees no mixture of two holds.
func TestHoldsAtChanges(t *testing.T) {
	b, w := newPage(t)
	var all sync.WaitGroup
	stop := make(chan struct{})
	for i := range 3 {
		all.Go(func() {
			for n := int64(i); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				addr := n%1000 + 1
				b.Release(b.Hold(addr, 7*addr))
			}
		})
	}
	for range 2000 {
		for _, h := range look(t, w).Holds {
			if h.Number != 7*h.Addr {
				t.Errorf("a hold of %d by %d", h.Addr, h.Number)
			}
		}
	}
	close(stop)
	all.Wait()
	if v := look(t, w); len(v.Holds) != 0 {
		t.Errorf("%+v are left", v.Holds)
	}
}
