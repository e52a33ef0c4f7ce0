package global_test

import (
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/segment"
)

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
