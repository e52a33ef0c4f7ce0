package acp_test

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestAlloc: a slice of Alloc is zero, belongs to its rank, and is changed by all ranks.
func TestAlloc(t *testing.T) {
	forEachMode(t, []int{1, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for range 3 { // memory that was freed is zero again
				if err := useAlloc(p, n); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func useAlloc(p *member, n int) error {
	values, ga, err := acp.Alloc[uint64](p.Process, 1000)
	if err != nil {
		return err
	}
	for i, v := range values {
		if v != 0 {
			return fmt.Errorf("value %d is %d at first", i, v)
		}
	}
	own := must(p.StarterGA(p.Rank()))
	*(*acp.GA)(unsafe.Pointer(&p.Starter()[8])) = ga
	if err := p.Sync(); err != nil {
		return err
	}
	for r := range n {
		from := must(p.StarterGA(acp.Rank(r)))
		if err := p.Complete(must(p.Copy(own+16, from+8, 8, acp.HandleNull))); err != nil {
			return err
		}
		there := *(*acp.GA)(unsafe.Pointer(&p.Starter()[16]))
		if err := p.Complete(must(p.Add8(own, there+999*8, uint64(r+1), acp.HandleNull))); err != nil {
			return err
		}
	}
	if err := p.Sync(); err != nil {
		return err
	}
	if got, want := atomic.LoadUint64(&values[999]), uint64(n)*uint64(p.Rank()+1); got != want {
		return fmt.Errorf("the last value is %d, want %d", got, want)
	}
	for i := range values {
		values[i] = math.MaxUint64
	}
	return p.Free(ga)
}

// TestRegisterShared: memory that the library already shares with other ranks keeps its global addresses when
// it is registered, so ranks of the host still have it mapped.
func TestRegisterShared(t *testing.T) {
	run(t, 2, acp.Config{StarterSize: 1 << 16}, func(p *member) error {
		values, ga, err := acp.Alloc[int32](p.Process, 100)
		if err != nil {
			return err
		}
		start := must(p.StarterGA(p.Rank()))
		for _, c := range []struct {
			mem  []byte
			want acp.GA
		}{
			{p.Starter(), start},
			{p.Starter()[100:200], start + 100},
			{unsafe.Slice((*byte)(unsafe.Pointer(&values[1])), 64), ga + 4},
		} {
			key, err := p.Register(c.mem, 0)
			if err != nil {
				return err
			}
			if got, err := p.QueryGA(key, unsafe.Pointer(&c.mem[0])); err != nil || got != c.want {
				return fmt.Errorf("%v, %v, want %v", got, err, c.want)
			}
			if at, err := p.QueryAddress(c.want); err != nil || at != unsafe.Pointer(&c.mem[0]) {
				return fmt.Errorf("address %v, %w", at, err)
			}
			if err := p.Unregister(key); err != nil {
				return err
			}
			if _, err := p.QueryGA(key, unsafe.Pointer(&c.mem[0])); !errors.Is(err, acp.ErrBadKey) {
				return fmt.Errorf("the key of unregistered memory: %w", err)
			}
			if err := p.Complete(must(p.Copy(c.want, c.want, 1, acp.HandleNull))); err != nil {
				return fmt.Errorf("after Unregister: %w", err)
			}
		}
		// The library releases a key that is never unregistered.
		_, err = p.Register(p.Starter()[:8], 0)
		return errors.Join(err, p.Reset(1-p.Rank()))
	})
}

// TestAllocFails: Alloc refuses invalid types and sizes.
func TestAllocFails(t *testing.T) {
	run(t, 1, acp.Config{}, func(p *member) error {
		if _, _, err := acp.Alloc[int](p.Process, -1); !errors.Is(err, acp.ErrBadSize) {
			return fmt.Errorf("-1 values: %w", err)
		}
		if _, _, err := acp.Alloc[[1 << 20]byte](p.Process, math.MaxInt); !errors.Is(err, acp.ErrBadSize) {
			return fmt.Errorf("too many values: %w", err)
		}
		if _, _, err := acp.Alloc[int](p.Process, 1<<50); !errors.Is(err, acp.ErrHeapFull) {
			return fmt.Errorf("more than the heap has: %w", err)
		}
		if _, _, err := acp.Alloc[string](p.Process, 1); !errors.Is(err, acp.ErrBadType) {
			return fmt.Errorf("strings: %w", err)
		}
		values, ga, err := acp.Alloc[byte](p.Process, 0)
		if err != nil || len(values) != 0 {
			return fmt.Errorf("%d values, %w", len(values), err)
		}
		return p.Free(ga)
	})
}
