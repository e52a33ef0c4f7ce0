package segment

import (
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

func TestNeighboursMergeUntilTranslated(t *testing.T) {
	s, _ := newSpace(t)
	mem := foreign(t, 4096)
	reg := func(lo, hi int) Key {
		t.Helper()
		k, err := s.Register(addr(mem)+uintptr(lo), uint64(hi-lo), 0)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	a := reg(100, 200)
	if b := reg(200, 300); b != a {
		t.Error("the next neighbour has another key")
	}
	if b := reg(50, 100); b != a {
		t.Error("the previous neighbour has another key")
	}
	if b := reg(120, 130); b != a {
		t.Error("a part has another key")
	}
	far := reg(302, 310)
	if far == a {
		t.Error("separate memory has the same key")
	}
	pos, err := s.Translate(a, addr(mem)+299)
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := s.Translate(a, addr(mem)+50); pos != first+249 {
		t.Errorf("byte 249 is at %#x, byte 0 at %#x", pos, first)
	}
	if pos%PageSize != uint64(addr(mem)+299)%PageSize {
		t.Error("position and address are not congruent")
	}
	if _, err := s.Translate(a, addr(mem)+300); err == nil {
		t.Error("translated an address outside")
	}
	for i := range 4 {
		if _, err := s.Resolve(pos, 1); err != nil {
			t.Fatalf("gone after %d of 4 unregistrations: %v", i, err)
		}
		last, err := s.Unregister(a)
		if err != nil || last != (i == 3) {
			t.Fatalf("unregistration %d: last=%v, %v", i, last, err)
		}
	}
	if _, err := s.Resolve(pos, 1); err == nil {
		t.Error("accessible after the last unregistration")
	}
	if _, err := s.Unregister(a); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("a fifth unregistration: %v", err)
	}
	if b := reg(310, 320); b == far {
		t.Error("merged although an unregistration came in between")
	}
}

func TestRegisterRejects(t *testing.T) {
	s, _ := newSpace(t)
	if _, err := s.Register(0, 8, 0); err == nil {
		t.Error("null was registered")
	}
	if _, err := s.Register(^uintptr(0)-4, 8, 0); err == nil {
		t.Error("memory beyond the end of the address space was registered")
	}
	if _, err := s.Register(4096, 1<<45, 0); err == nil {
		t.Error("more than 44 bits of memory were registered")
	}
	k, err := s.Register(addr(foreign(t, 4096)), 0, 0)
	if err != nil {
		t.Fatalf("size 0: %v", err)
	}
	if _, err := s.Translate(k+1, 1); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("unknown key: %v", err)
	}
}

// TestModel compares random registrations with a plain map of what is accessible,
// seen by the owner and by a peer.
func TestModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	s, v := newView(t)
	mem := foreign(t, 1<<20)
	for i := range mem {
		mem[i] = byte(i * 7 >> 3)
	}
	type reg struct {
		key    Key
		pos    uint64
		lo, hi int
	}
	var live []reg
	for range 3000 {
		if len(live) < 200 && rnd.IntN(3) > 0 {
			lo := rnd.IntN(len(mem) - 1)
			hi := lo + 1 + rnd.IntN(min(5000, len(mem)-lo))
			k, err := s.Register(addr(mem)+uintptr(lo), uint64(hi-lo), 0)
			if err != nil {
				t.Fatal(err)
			}
			pos, err := s.Translate(k, addr(mem)+uintptr(lo))
			if err != nil {
				t.Fatal(err)
			}
			live = append(live, reg{k, pos, lo, hi})
		} else if len(live) > 0 {
			i := rnd.IntN(len(live))
			if _, err := s.Unregister(live[i].key); err != nil {
				t.Fatal(err)
			}
			gone := live[i]
			live = append(live[:i], live[i+1:]...)
			if _, err := s.Resolve(gone.pos, 1); err == nil {
				t.Fatalf("%#x is still accessible", gone.pos)
			}
		}
		if len(live) == 0 {
			continue
		}
		g := live[rnd.IntN(len(live))]
		off := rnd.IntN(g.hi - g.lo)
		n := uint64(rnd.IntN(g.hi-g.lo-off) + 1)
		p, err := s.Resolve(g.pos+uint64(off), n)
		if err != nil || uintptr(p) != addr(mem)+uintptr(g.lo+off) {
			t.Fatalf("Resolve = %p, %v", p, err)
		}
		got := make([]byte, n)
		if err := v.Read(unsafe.Pointer(unsafe.SliceData(got)), g.pos+uint64(off), n); err != nil {
			t.Fatal(err)
		}
		if string(got) != string(mem[g.lo+off:g.lo+off+int(n)]) {
			t.Fatal("a peer reads something else")
		}
		var outside *fabric.RangeError
		if _, err := s.Resolve(g.pos, uint64(g.hi-g.lo)+1); !errors.As(err, &outside) {
			t.Fatalf("one byte too many: %v", err)
		}
		if err := v.Write(g.pos+uint64(g.hi-g.lo), p, 1); !errors.As(err, &outside) {
			t.Fatalf("a write behind the end: %v", err)
		}
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	for _, g := range live {
		if _, err := s.Resolve(g.pos, 1); err == nil {
			t.Fatal("accessible after a reset")
		}
	}
}

// TestPositionsAreNotReusedSoon registers more than would fit if positions were
// never reused, and checks that a position just given back is not the next one.
func TestPositionsAreNotReusedSoon(t *testing.T) {
	s, _ := newSpace(t)
	const size = 1 << 40
	last := uint64(0)
	for i := range 40 {
		k, err := s.Register(1<<46, size, 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := s.Translate(k, 1<<46)
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		if pos == last {
			t.Fatal("reused at once")
		}
		last = pos
		if _, err := s.Unregister(k); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLookupWhileChanging reads the table while the owner changes it.
func TestLookupWhileChanging(t *testing.T) {
	s, v := newView(t)
	mem := foreign(t, 1<<16)
	keep, err := s.Register(addr(mem)+40000, 16, 0)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := s.Translate(keep, addr(mem)+40000)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	bad := make(chan uint64, 1)
	go func() {
		defer close(bad)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if a, ok := v.lookup(pos, 16); !ok || a != uint64(addr(mem))+40000 {
				bad <- a
				return
			}
		}
	}()
	for i := range 20000 {
		k, err := s.Register(addr(mem)+uintptr(i%100*64), 8, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Translate(k, addr(mem)+uintptr(i%100*64)); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			defer s.Unregister(k)
		} else if _, err := s.Unregister(k); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if a, found := <-bad; found {
		t.Fatalf("a reader saw %#x", a)
	}
}
