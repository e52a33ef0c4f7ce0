package acp_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestAtomicsAgainstModel performs every atomic in both widths on starter and
// registered memory of every rank, and checks the value left and the value returned.
func TestAtomicsAgainstModel(t *testing.T) {
	type op struct {
		name string
		call func(p *member, dst, src acp.GA, a, b uint64) (acp.Handle, error)
		next func(x, a, b uint64) uint64
	}
	u32 := func(x uint64) uint32 { return uint32(x) }
	ops := map[int][]op{
		8: {
			{"add8", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Add8(d, s, a, acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return x + a }},
			{"cas8 hit", func(p *member, d, s acp.GA, a, b uint64) (acp.Handle, error) {
				return p.Cas8(d, s, b, a, acp.HandleAll)
			}, func(_, a, _ uint64) uint64 { return a }},
			{"cas8 miss", func(p *member, d, s acp.GA, a, b uint64) (acp.Handle, error) {
				return p.Cas8(d, s, b+1, a, acp.HandleAll)
			}, func(x, _, _ uint64) uint64 { return x }},
			{"swap8", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Swap8(d, s, a, acp.HandleAll)
			}, func(_, a, _ uint64) uint64 { return a }},
			{"and8", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.And8(d, s, a, acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return x & a }},
			{"or8", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Or8(d, s, a, acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return x | a }},
			{"xor8", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Xor8(d, s, a, acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return x ^ a }},
		},
		4: {
			{"add4", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Add4(d, s, u32(a), acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return uint64(u32(x + a)) }},
			{"cas4 hit", func(p *member, d, s acp.GA, a, b uint64) (acp.Handle, error) {
				return p.Cas4(d, s, u32(b), u32(a), acp.HandleAll)
			}, func(_, a, _ uint64) uint64 { return uint64(u32(a)) }},
			{"cas4 miss", func(p *member, d, s acp.GA, a, b uint64) (acp.Handle, error) {
				return p.Cas4(d, s, u32(b)+1, u32(a), acp.HandleAll)
			}, func(x, _, _ uint64) uint64 { return x }},
			{"swap4", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Swap4(d, s, u32(a), acp.HandleAll)
			}, func(_, a, _ uint64) uint64 { return uint64(u32(a)) }},
			{"and4", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.And4(d, s, u32(a), acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return x & uint64(u32(a)) }},
			{"or4", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Or4(d, s, u32(a), acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return x | uint64(u32(a)) }},
			{"xor4", func(p *member, d, s acp.GA, a, _ uint64) (acp.Handle, error) {
				return p.Xor4(d, s, u32(a), acp.HandleAll)
			}, func(x, a, _ uint64) uint64 { return x ^ uint64(u32(a)) }},
		},
	}
	get := func(mem []byte, width int) uint64 {
		if width == 4 {
			return uint64(binary.NativeEndian.Uint32(mem))
		}
		return binary.NativeEndian.Uint64(mem)
	}
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		heaps := make([][]byte, n)
		for i := range heaps {
			heaps[i] = foreign(t, areaSize)
		}
		shared := make([][]area, n)
		run(t, n, acp.Config{Mode: mode, StarterSize: areaSize}, func(p *member) error {
			shared[p.Rank()] = publish(p, heaps[p.Rank()])
			if err := p.Sync(); err != nil {
				return err
			}
			// Each rank works on its own words in the memory of every rank.
			off := 64 * (1 + int(p.Rank()))
			for _, results := range shared[p.Rank()] {
				for _, target := range append(shared[0], shared[1]...) {
					for width, list := range ops {
						x := uint64(0x0123456789abcdef) >> (64 - 8*width)
						word := target.mem[off : off+16]
						clear(word)
						for i := range 8 {
							word[8+i] = 0x77
						}
						binary.NativeEndian.PutUint64(word, x)
						for i, o := range list {
							operand := uint64(0xf0f1f2f3f4f5f6f7) * uint64(i+1)
							h, err := o.call(p, results.ga+acp.GA(off+32), target.ga+acp.GA(off), operand, x)
							if err != nil {
								return err
							}
							if err := p.Complete(h); err != nil {
								return err
							}
							if old := get(results.mem[off+32:], width); old != x {
								return fmt.Errorf("%s on %s of rank %d found %#x, want %#x", o.name, target.kind, target.rank, old, x)
							}
							x = o.next(x, operand, x)
							if now := get(word, width); now != x {
								return fmt.Errorf("%s on %s of rank %d left %#x, want %#x", o.name, target.kind, target.rank, now, x)
							}
							if string(word[8:]) != "wwwwwwww" || width == 4 && binary.NativeEndian.Uint32(word[4:]) != 0 {
								return fmt.Errorf("%s changed its neighbours", o.name)
							}
						}
					}
				}
			}
			return p.Sync()
		})
	})
}

// TestNothingIsLost: all ranks add to, exchange and flip one counter of rank 0 while rank 0 does CPU atomics
// on it. No update is lost.
func TestNothingIsLost(t *testing.T) {
	forEachMode(t, []int{4}, func(t *testing.T, mode bridge.Mode, n int) {
		const rounds = 1500
		heap := foreign(t, 4096)
		var registered atomic.Uint64
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 0 {
				key := must(p.Register(heap, 0))
				registered.Store(uint64(must(p.QueryGA(key, unsafe.Pointer(unsafe.SliceData(heap))))))
			}
			if err := p.Sync(); err != nil {
				return err
			}
			result := must(p.StarterGA(p.Rank())) + 1024
			for _, target := range []acp.GA{must(p.StarterGA(0)), acp.GA(registered.Load())} {
				for i := range rounds {
					if _, err := p.Add8(result, target, 1, acp.HandleNull); err != nil {
						return err
					}
					if _, err := p.Xor4(result+8, target+8, 1<<uint(p.Rank()), acp.HandleNull); err != nil {
						return err
					}
					if i%16 == 0 {
						if err := casAdd(p, result, target+16); err != nil {
							return err
						}
					}
					if p.Rank() == 0 {
						at := must(p.QueryAddress(target))
						atomic.AddUint64((*uint64)(at), 1)
						atomic.AddUint64((*uint64)(unsafe.Add(at, 16)), 1)
					}
				}
				if err := p.Complete(acp.HandleAll); err != nil {
					return err
				}
				if err := p.Sync(); err != nil {
					return err
				}
				if p.Rank() == 0 {
					at := must(p.QueryAddress(target))
					if got, want := *(*uint64)(at), uint64(rounds*(n+1)); got != want {
						return fmt.Errorf("counter is %d, want %d", got, want)
					}
					if got := *(*uint32)(unsafe.Add(at, 8)); got != 0 {
						return fmt.Errorf("flipped bits are %#x, want 0", got)
					}
					if got, want := *(*uint64)(unsafe.Add(at, 16)), uint64(n*((rounds+15)/16)+rounds); got != want {
						return fmt.Errorf("counter by compare and swap is %d, want %d", got, want)
					}
				}
				if err := p.Sync(); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// TestGoMemory registers memory of the Go heap, which must stay where it is.
func TestGoMemory(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		var where atomic.Uint64
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 0 {
				word := new(uint64)
				mem := unsafe.Slice((*byte)(unsafe.Pointer(word)), 8)
				key := must(p.Register(mem, 0))
				where.Store(uint64(must(p.QueryGA(key, unsafe.Pointer(word)))))
			}
			if err := p.Sync(); err != nil {
				return err
			}
			runtime.GC()
			target := acp.GA(where.Load())
			if _, err := p.Add8(must(p.StarterGA(p.Rank())), target, 1, acp.HandleNull); err != nil {
				return err
			}
			if err := p.Complete(acp.HandleAll); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() == 0 {
				at := must(p.QueryAddress(target))
				if got := atomic.LoadUint64((*uint64)(at)); got != uint64(n) {
					return fmt.Errorf("counter is %d", got)
				}
			}
			return p.Sync()
		})
	})
}

// casAdd adds 1 by compare and swap.
func casAdd(p *member, result, target acp.GA) error {
	old := uint64(0)
	for {
		h, err := p.Cas8(result, target, old, old+1, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := p.Complete(h); err != nil {
			return err
		}
		at, err := p.QueryAddress(result)
		if err != nil {
			return err
		}
		seen := atomic.LoadUint64((*uint64)(at))
		if seen == old {
			return nil
		}
		old = seen
	}
}
