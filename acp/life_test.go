package acp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

func TestReset(t *testing.T) {
	forEachMode(t, []int{1, 3, 4}, func(t *testing.T, mode bridge.Mode, n int) {
		heaps := make([][]byte, n)
		for i := range heaps {
			heaps[i] = foreign(t, 4096)
		}
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			first := int(p.Rank())
			for turn := 1; turn <= 2; turn++ {
				for i := range p.Starter() {
					p.Starter()[i] = 0xff
				}
				key := must(p.Register(heaps[first], 0))
				old := must(p.QueryGA(key, unsafe.Pointer(unsafe.SliceData(heaps[first]))))
				want := (first + turn) % n
				if err := p.Reset(acp.Rank(want)); err != nil {
					return err
				}
				if got := int(p.Rank()); got != want {
					return fmt.Errorf("rank %d after reset to %d", got, want)
				}
				for i, b := range p.Starter() {
					if b != 0 {
						return fmt.Errorf("byte %d of starter memory is %#x after reset", i, b)
					}
				}
				if _, err := p.QueryAddress(old); err == nil {
					return errors.New("memory registered before the reset is still known")
				}
				if err := p.Unregister(key); !errors.Is(err, acp.ErrBadKey) {
					return fmt.Errorf("a key from before the reset: %v", err)
				}
				if err := ring(p, n, uint64(1000*turn)); err != nil {
					return fmt.Errorf("turn %d: %w", turn, err)
				}
			}
			return nil
		})
	})
}

// ring passes a number to the next rank and checks what the previous one passed.
func ring(p *member, n int, base uint64) error {
	rank := uint64(p.Rank())
	if err := p.Sync(); err != nil {
		return err
	}
	binary.NativeEndian.PutUint64(p.Starter(), base+rank)
	next := must(p.StarterGA(acp.Rank((rank + 1) % uint64(n))))
	if _, err := p.Copy(next+8, must(p.StarterGA(p.Rank())), 8, acp.HandleNull); err != nil {
		return err
	}
	if err := p.Complete(acp.HandleAll); err != nil {
		return err
	}
	if err := p.Sync(); err != nil {
		return err
	}
	if got, want := binary.NativeEndian.Uint64(p.Starter()[8:]), base+(rank+uint64(n)-1)%uint64(n); got != want {
		return fmt.Errorf("got %d, want %d", got, want)
	}
	return nil
}

func TestResetNeedsPermutation(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			rank := p.Rank()
			for _, bad := range []acp.Rank{0, -1, acp.Rank(n), rank + 1} {
				if err := p.Reset(bad); !errors.Is(err, acp.ErrNotPermutation) {
					return fmt.Errorf("reset to %d: %v", bad, err)
				}
			}
			if p.Rank() != rank {
				return errors.New("a refused reset changed the rank")
			}
			return ring(p, n, 7)
		})
	})
}

// A rank whose GMAs failed still takes part in the reset, and Reset returns their errors.
func TestResetAfterFailure(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			rank := p.Rank()
			if rank == 1 {
				if _, err := p.Copy(starterOf(2)+1<<40, starterOf(1), 8, acp.HandleNull); err != nil {
					return err
				}
			}
			err := p.Reset((rank + 1) % acp.Rank(n))
			if rank == 1 != errors.Is(err, acp.ErrBadAddress) || rank != 1 && err != nil {
				return fmt.Errorf("reset: %v", err)
			}
			if p.Rank() != (rank+1)%acp.Rank(n) {
				return fmt.Errorf("rank %d has become %d", rank, p.Rank())
			}
			return ring(p, n, 7)
		})
	})
}

func TestSyncOrdersRanks(t *testing.T) {
	forEachMode(t, []int{2, 7}, func(t *testing.T, mode bridge.Mode, n int) {
		var mu sync.Mutex
		count := 0
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for i := range 200 {
				mu.Lock()
				count++
				mu.Unlock()
				if err := p.Sync(); err != nil {
					return err
				}
				mu.Lock()
				got := count
				mu.Unlock()
				if got < (i+1)*n {
					return fmt.Errorf("barrier %d opened after %d of %d arrivals", i, got, (i+1)*n)
				}
				if err := p.Sync(); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func TestHandles(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			peer := must(p.StarterGA(1 - p.Rank()))
			own := must(p.StarterGA(p.Rank()))
			for _, h := range []acp.Handle{acp.HandleNull, acp.HandleAll, acp.HandleCont, 1 << 40} {
				if err := p.Complete(h); err != nil {
					return fmt.Errorf("complete(%#x): %v", h, err)
				}
				if done, err := p.Inquire(h); !done || err != nil {
					return fmt.Errorf("inquire(%#x) = %v, %v", h, done, err)
				}
			}
			var last acp.Handle
			for i := range 2000 {
				order := []acp.Handle{acp.HandleNull, acp.HandleAll, acp.HandleCont, last, last + 1000000}[i%5]
				h, err := p.Copy(peer, own, uint64(i%3*8), order)
				if err != nil {
					return err
				}
				if h <= last {
					return fmt.Errorf("handle %d after %d", h, last)
				}
				last = h
			}
			for {
				done, err := p.Inquire(last)
				if err != nil {
					return err
				}
				if done {
					break
				}
				time.Sleep(time.Microsecond)
			}
			return p.Complete(last)
		})
	})
}

// TestManyInFlight issues more operations than the queue holds, each after the one before, so that the
// library has to drain a full queue.
func TestManyInFlight(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			target := must(p.StarterGA(1-p.Rank())) + 64
			own := must(p.StarterGA(p.Rank()))
			const count = 40000
			order := acp.HandleNull
			for range count {
				h, err := p.Add8(own, target, 1, order)
				if err != nil {
					return err
				}
				order = h
			}
			if err := p.Complete(order); err != nil {
				return err
			}
			if got := binary.NativeEndian.Uint64(p.Starter()); got != count-1 {
				return fmt.Errorf("the last add found %d", got)
			}
			return nil
		})
	})
}

func TestErrors(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			own := must(p.StarterGA(p.Rank()))
			peer := must(p.StarterGA(1 - p.Rank()))
			const noRank = acp.GA(2)<<44 | 4096
			null := acp.NullGA
			for _, c := range []struct {
				name string
				err  error
				call func() (acp.Handle, error)
			}{
				{"copy to null", acp.ErrBadAddress, func() (acp.Handle, error) { return p.Copy(null, own, 8, 0) }},
				{"copy from null", acp.ErrBadAddress, func() (acp.Handle, error) { return p.Copy(own, null, 8, 0) }},
				{"copy of nothing from null", acp.ErrBadAddress, func() (acp.Handle, error) { return p.Copy(own, null, 0, 0) }},
				{"copy to no rank", acp.ErrBadAddress, func() (acp.Handle, error) { return p.Copy(noRank, own, 8, 0) }},
				{"add to no rank", acp.ErrBadAddress, func() (acp.Handle, error) { return p.Add8(own, noRank, 1, 0) }},
				{"result on a peer", acp.ErrNotLocal, func() (acp.Handle, error) { return p.Add8(peer, own, 1, 0) }},
				{"misaligned 8", acp.ErrMisaligned, func() (acp.Handle, error) { return p.Swap8(own, peer+4, 1, 0) }},
				{"misaligned 4", acp.ErrMisaligned, func() (acp.Handle, error) { return p.Swap4(own, peer+2, 1, 0) }},
				{"misaligned result", acp.ErrMisaligned, func() (acp.Handle, error) { return p.Cas8(own+4, peer, 1, 0, 0) }},
			} {
				h, err := c.call()
				var op *acp.OpError
				if h != acp.HandleNull || !errors.Is(err, c.err) || !errors.As(err, &op) || op.Rank != p.Rank() {
					return fmt.Errorf("%s: %v, %v", c.name, h, err)
				}
			}
			for _, c := range []struct {
				name     string
				dst, src acp.GA
				size     uint64
			}{
				{"beyond the end", peer, own, acp.DefaultStarterSize + 1},
				{"from beyond the end", own, peer + 8, acp.DefaultStarterSize},
				{"never registered", peer + 1<<40, own, 8},
				{"never registered, from", own, peer + 1<<40, 8},
				{"both ends elsewhere", peer, peer + 1<<40, 8},
				{"own memory", own + 1<<40, own, 8},
				{"nothing at no place", peer + 1<<40, own, 0},
			} {
				h, err := p.Copy(c.dst, c.src, c.size, acp.HandleNull)
				if err != nil {
					return fmt.Errorf("%s: refused at once: %v", c.name, err)
				}
				err = p.Complete(h)
				var op *acp.OpError
				if !errors.Is(err, acp.ErrBadAddress) || !errors.As(err, &op) || op.Dst != c.dst || op.Src != c.src {
					return fmt.Errorf("%s: %v", c.name, err)
				}
				if err := p.Complete(h); err != nil {
					return fmt.Errorf("%s: reported twice: %v", c.name, err)
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			for i, b := range p.Starter() {
				if b != 0 {
					return fmt.Errorf("byte %d changed", i)
				}
			}
			return nil
		})
	})
}

func TestQueries(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for r := range n {
				ga := must(p.StarterGA(acp.Rank(r))) + 40
				if got := must(p.QueryRank(ga)); int(got) != r {
					return fmt.Errorf("rank of %v is %d", ga, got)
				}
				if got := must(p.QueryColor(ga)); got != 0 {
					return fmt.Errorf("color of %v is %d", ga, got)
				}
				at, err := p.QueryAddress(ga)
				if acp.Rank(r) == p.Rank() {
					if at != unsafe.Pointer(&p.Starter()[40]) || err != nil {
						return fmt.Errorf("address %p, %v", at, err)
					}
				} else if !errors.Is(err, acp.ErrNotLocal) {
					return fmt.Errorf("address of rank %d: %v", r, err)
				}
			}
			for _, r := range []acp.Rank{-1, acp.Rank(n)} {
				if _, err := p.StarterGA(r); !errors.Is(err, acp.ErrBadRank) {
					return fmt.Errorf("starter memory of rank %d: %v", r, err)
				}
			}
			if _, err := p.QueryRank(acp.NullGA); !errors.Is(err, acp.ErrBadAddress) {
				return fmt.Errorf("rank of null: %v", err)
			}
			if _, err := p.Register(make([]byte, 8), acp.Color(p.Colors())); !errors.Is(err, acp.ErrBadColor) {
				return fmt.Errorf("bad color: %v", err)
			}
			if _, err := p.Register(nil, 0); err == nil {
				return errors.New("no memory was registered")
			}
			if err := p.Unregister(acp.NullKey); !errors.Is(err, acp.ErrBadKey) {
				return fmt.Errorf("null key: %v", err)
			}
			return nil
		})
	})
}

// starterOf returns the GA of starter memory. It needs no open Process.
func starterOf(r acp.Rank) acp.GA { return acp.GA(r)<<44 | 4096 }

func TestFinalizedProcess(t *testing.T) {
	p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single()})
	if err != nil {
		t.Fatal(err)
	}
	ga := must(p.StarterGA(0))
	if err := p.Finalize(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Copy(ga, ga+8, 8, 0); !errors.Is(err, acp.ErrFinalized) {
		t.Errorf("copy: %v", err)
	}
	if _, err := p.Add8(ga, ga+8, 8, 0); !errors.Is(err, acp.ErrFinalized) {
		t.Errorf("add8: %v", err)
	}
	for name, call := range map[string]func() error{
		"sync":     p.Sync,
		"finalize": p.Finalize,
		"reset":    func() error { return p.Reset(0) },
		"register": func() error { _, err := p.Register(make([]byte, 1), 0); return err },
		"starter":  func() error { _, err := p.StarterGA(0); return err },
	} {
		if err := call(); !errors.Is(err, acp.ErrFinalized) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingStays compares open files before and after a run.
func TestNothingStays(t *testing.T) {
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	body := func(p *member) error { return ring(p, 3, 1) }
	run(t, 3, acp.Config{}, body)
	before := count()
	run(t, 3, acp.Config{}, body)
	run(t, 3, acp.Config{Mode: bridge.ModeTCP}, body)
	if after := count(); after > before {
		t.Errorf("%d open files, before %d", after, before)
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Finalize()
	ga := must(p.StarterGA(0))
	if n := testing.AllocsPerRun(100, func() {
		h, _ := p.Copy(ga, ga+8, 8, acp.HandleNull)
		h, _ = p.Add8(ga+16, ga, 1, h)
		p.Complete(h)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPut8(b *testing.B) {
	p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single()})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Finalize()
	ga := must(p.StarterGA(0))
	for b.Loop() {
		h, _ := p.Copy(ga, ga+8, 8, acp.HandleNull)
		p.Complete(h)
	}
}

func BenchmarkAdd8(b *testing.B) {
	p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single()})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Finalize()
	ga := must(p.StarterGA(0))
	for b.Loop() {
		h, _ := p.Add8(ga+16, ga, 1, acp.HandleNull)
		p.Complete(h)
	}
}
