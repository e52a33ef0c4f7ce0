package global_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/ga"
	"github.com/goacp/goacp/internal/global"
	"github.com/goacp/goacp/internal/global/globaltest"
)

// add begins one copy of a batch.
func add(m *global.Memory, b *global.Batch, dst, src, n uint64) error {
	if err := b.Room(); err != nil {
		return err
	}
	defer m.Leave(m.Enter())
	to, err := m.Find(dst, n)
	if err != nil {
		return err
	}
	from, err := m.Find(src, n)
	if err == nil {
		b.Add(to, from, n)
	}
	return err
}

// TestBatch moves the pieces of some memory in any order, many at the same time, between all
// kinds of memory.
func TestBatch(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		rnd := rand.New(rand.NewPCG(9, 10))
		all := areas(t, w)
		const piece = 61
		const pieces = areaBytes / piece // more than may be under way
		for _, r := range w.Ranks {
			for _, dst := range all {
				src := all[rnd.IntN(len(all))]
				if src == dst {
					continue
				}
				copy(src.mem, noise(rnd, areaBytes))
				b := r.Mem.NewBatch()
				for _, i := range rnd.Perm(pieces) {
					at := uint64(i * piece)
					if err := add(r.Mem, b, dst.at+at, src.at+at, piece); err != nil {
						t.Fatal(err)
					}
				}
				if err := b.Wait(); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(dst.mem[:pieces*piece], src.mem[:pieces*piece]) {
					t.Fatalf("rank %d, from %s of rank %d to %s of rank %d: other bytes", r.Numbers.Own(), src.what, src.rank, dst.what, dst.rank)
				}
			}
		}
	})
}

// TestBatchFails: the error of any copy is that of the batch, and the other copies are made.
func TestBatchFails(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		for _, r := range w.Ranks {
			b := r.Mem.NewBatch()
			copy(r.Space.Starter(), "abc")
			var refused error // by the own rank, which knows at once
			for i := range uint64(3) {
				err := add(r.Mem, b, r.Starter(16+i), r.Starter(i), 1)
				if i == 1 {
					refused = add(r.Mem, b, nowhere(1), r.Starter(0), 1)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := global.Cause(errors.Join(refused, b.Wait())); !errors.Is(err, global.ErrBadAddress) {
				t.Errorf("rank %d: %v", r.Numbers.Own(), err)
			}
			if got := string(r.Space.Starter()[16:19]); got != "abc" {
				t.Errorf("rank %d: got %q", r.Numbers.Own(), got)
			}
		}
	})
}

// TestChecks: what can be known about addresses and ranks without asking anything.
func TestChecks(t *testing.T) {
	w := globaltest.New(t, globaltest.Config{Size: 2})
	m := w.Ranks[0].Mem
	for at, want := range map[uint64]error{
		ga.Null: global.ErrBadAddress, ga.Make(0, segment.StarterOffset-1): global.ErrBadAddress, ga.Make(2, segment.StarterOffset): global.ErrBadAddress,
		ga.Make(0, segment.StarterOffset): nil, ga.Make(1, ga.MaxPos): nil,
	} {
		if err := m.Check(at); err != want {
			t.Errorf("address %#x: %v", at, err)
		}
	}
	for rank, want := range map[int]error{-1: global.ErrBadRank, 0: nil, 1: nil, 2: global.ErrBadRank} {
		if err := m.CheckRank(rank); err != want {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if m.HeapSize(1) != globaltest.Heap || m.Ranks() != w.Ranks[0].Numbers {
		t.Errorf("a heap of %d bytes", m.HeapSize(1))
	}
}

// TestView: memory that is reached by loads and stores is seen where it is, registered memory
// only by those that hold it.
func TestView(t *testing.T) {
	w := globaltest.New(t, globaltest.Config{Size: 2})
	r := w.Ranks[0]
	mem := foreign(t, 4096)
	_, registered := register(t, r, mem)
	block, err := r.Mem.Alloc(1, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what          string
		span          ga.Span
		seen, entered bool
	}{
		{"own starter memory", ga.Span{GA: r.Starter(8), N: 8}, true, true},
		{"a block of another rank", ga.Span{GA: block, N: 100}, true, true},
		{"registered memory", ga.Span{GA: registered + 1, N: 4095}, false, true},
		{"registered memory and more", ga.Span{GA: registered + 1, N: 4096}, false, false},
		{"registered memory of another rank", ga.Span{GA: nowhere(1), N: 8}, false, false},
		{"nothing", ga.Span{}, true, true},
	} {
		b, ok := r.Mem.View(c.span)
		if ok != c.seen || ok && uint64(len(b)) != c.span.N {
			t.Errorf("%s: %d bytes, %v", c.what, len(b), ok)
		}
		epoch := r.Mem.Enter()
		if b, ok = r.Mem.ViewEntered(c.span); ok != c.entered || ok && uint64(len(b)) != c.span.N {
			t.Errorf("%s, entered: %d bytes, %v", c.what, len(b), ok)
		}
		r.Mem.Leave(epoch)
	}
	if b, ok := r.Mem.View(ga.Span{GA: r.Starter(8), N: 8}); ok && &b[0] != &r.Space.Starter()[8] {
		t.Error("starter memory is seen elsewhere")
	}
}
