package fabrictest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

var ops = []fabric.Op{fabric.OpAdd, fabric.OpCas, fabric.OpSwap, fabric.OpAnd, fabric.OpOr, fabric.OpXor}

// model performs a on x in plain Go.
func model(a fabric.Atomic, x uint64) uint64 {
	switch a.Op {
	case fabric.OpAdd:
		return x + a.Operand
	case fabric.OpCas:
		if x == a.Compare {
			return a.Operand
		}
		return x
	case fabric.OpSwap:
		return a.Operand
	case fabric.OpAnd:
		return x & a.Operand
	case fabric.OpOr:
		return x | a.Operand
	default:
		return x ^ a.Operand
	}
}

// testAtomics compares random atomics of both widths with the model, reply by
// reply, and watches the neighbouring bytes.
func testAtomics(t *testing.T, ms []Member) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, to := range []int{1, 0} {
		for _, width := range []uint8{4, 8} {
			area := ms[to].Memory[4096:][:24]
			fill(area, 9)
			x := integer(area[8:], width)
			guards := append([]byte(nil), area...)
			for i := range 600 {
				a := fabric.Atomic{Op: ops[i%len(ops)], Width: width, Operand: rng.Uint64(), Compare: rng.Uint64()}
				if i%2 == 0 {
					a.Compare = x
				}
				if width == 4 {
					a.Compare &= 0xffffffff // the high half is for the operand to ignore
				}
				o := NewOutcome()
				ms[0].Transport.Atomic(to, ms[to].Pos+4096+8, a, o)
				if old := o.Must(t); old != x {
					t.Fatalf("%v%d number %d returned %#x, want %#x", a.Op, width, i, old, x)
				}
				if x = model(a, x); width == 4 {
					x &= 0xffffffff
				}
				if got := integer(area[8:], width); got != x {
					t.Fatalf("%v%d number %d left %#x, want %#x", a.Op, width, i, got, x)
				}
			}
			copy(guards[8:], area[8:8+width])
			if err := same(area, guards); err != nil {
				t.Errorf("width %d: neighbours changed: %v", width, err)
			}
		}
	}
}

func integer(b []byte, width uint8) uint64 {
	if width == 4 {
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

// testNoAtomics checks that atomics which the memory does not allow say so.
func testNoAtomics(t *testing.T, ms []Member) {
	o := NewOutcome()
	ms[0].Transport.Atomic(1, ms[1].Pos, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, o)
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrNoPath) {
		t.Errorf("atomic: %v, want ErrNoPath", err)
	}
}

// testMisaligned sends atomics that the layer above should have refused. They fail, and
// the owner still serves others.
func testMisaligned(t *testing.T, ms []Member) {
	bad := []struct {
		pos uint64
		a   fabric.Atomic
	}{
		{1, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}},
		{4, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}},
		{2, fabric.Atomic{Op: fabric.OpCas, Width: 4, Operand: 1}},
		{0, fabric.Atomic{Op: fabric.OpAdd, Width: 3, Operand: 1}},
		{0, fabric.Atomic{Op: fabric.OpAdd, Width: 0, Operand: 1}},
		{0, fabric.Atomic{Op: 0, Width: 8, Operand: 1}},
		{0, fabric.Atomic{Op: 99, Width: 8, Operand: 1}},
	}
	before := append([]byte(nil), ms[1].Memory[:64]...)
	for _, c := range bad {
		o := NewOutcome()
		ms[0].Transport.Atomic(1, ms[1].Pos+c.pos, c.a, o)
		if _, err := o.Wait(); !errors.Is(err, fabric.ErrInvalid) {
			t.Errorf("%v%d at %d: %v, want ErrInvalid", c.a.Op, c.a.Width, c.pos, err)
		}
	}
	if err := same(ms[1].Memory[:64], before); err != nil {
		t.Errorf("refused atomics changed memory: %v", err)
	}
	o := NewOutcome()
	ms[0].Transport.Atomic(1, ms[1].Pos, fabric.Atomic{Op: fabric.OpSwap, Width: 8, Operand: 5}, o)
	o.Must(t)
}

// testCounter adds to one counter from all members at once and, if atomics are CPU
// instructions, by the owner's CPU, too. Each old value must be found exactly once.
func testCounter(t *testing.T, ms []Member) {
	const goroutines, rounds = 3, 150
	counter := (*uint64)(unsafe.Pointer(&ms[1].Memory[64]))
	atomic.StoreUint64(counter, 0)
	type finding struct {
		olds []uint64
		err  error
	}
	findings := make(chan finding)
	workers := 0
	for i := range ms {
		for range goroutines {
			workers++
			go func() {
				var f finding
				for range rounds {
					o := NewOutcome()
					ms[i].Transport.Atomic(1, ms[1].Pos+64, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, o)
					old, err := o.Wait()
					if err != nil {
						f.err = err
						break
					}
					f.olds = append(f.olds, old)
				}
				findings <- f
			}()
		}
	}
	if ms[0].can().Atomics == fabric.CPUAtomics {
		workers++
		go func() {
			var f finding
			for range rounds {
				f.olds = append(f.olds, atomic.AddUint64(counter, 1)-1)
			}
			findings <- f
		}()
	}
	seen := make([]bool, workers*rounds)
	for range workers {
		f := <-findings
		if f.err != nil {
			t.Error(f.err)
		}
		for _, old := range f.olds {
			if old >= uint64(len(seen)) || seen[old] {
				t.Fatalf("value %d was found twice or is too large", old)
			}
			seen[old] = true
		}
	}
	if got := atomic.LoadUint64(counter); got != uint64(len(seen)) {
		t.Errorf("counter is %d after %d additions", got, len(seen))
	}
}

// watch reads word until stop and reports a value that is neither all zeros nor
// all ones.
func watch(word []byte, width uint64, stop <-chan struct{}) error {
	p := unsafe.Pointer(&word[0])
	for {
		var v uint64
		if width == 4 {
			v = uint64(int64(int32(atomic.LoadUint32((*uint32)(p)))))
		} else {
			v = atomic.LoadUint64((*uint64)(p))
		}
		if v != 0 && v != ^uint64(0) {
			return fmt.Errorf("read %#x, which was never put", v)
		}
		select {
		case <-stop:
			return nil
		default:
		}
	}
}
