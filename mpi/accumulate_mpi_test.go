//go:build mpi

package mpi_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/goacp/goacp/mpi"
)

// apply carries out an operation on elements of an integer type, in plain Go.
func apply(o mpi.Op, t mpi.Type, x, y uint64) uint64 {
	less := x < y
	if t >= mpi.Int8 && t <= mpi.Int64 {
		shift := 64 - 8*t.Size()
		less = int64(x)<<shift < int64(y)<<shift
	}
	switch o {
	case mpi.Sum:
		x += y
	case mpi.Product:
		x *= y
	case mpi.Min:
		if !less {
			x = y
		}
	case mpi.Max:
		if less {
			x = y
		}
	case mpi.BitAnd:
		x &= y
	case mpi.BitOr:
		x |= y
	case mpi.BitXor:
		x ^= y
	case mpi.Replace:
		x = y
	}
	return x & mask(t)
}

func mask(t mpi.Type) uint64 { return math.MaxUint64 >> (64 - 8*t.Size()) }

// float is apply for floating point: the arguments and the result are bits.
func float(o mpi.Op, t mpi.Type, x, y uint64) uint64 {
	value := func(b uint64) float64 {
		if t == mpi.Float32 {
			return float64(math.Float32frombits(uint32(b)))
		}
		return math.Float64frombits(b)
	}
	var r float64
	switch a, b := value(x), value(y); o {
	case mpi.Sum:
		r = a + b
	case mpi.Product:
		r = a * b
	case mpi.Min:
		r = min(a, b)
	case mpi.Max:
		r = max(a, b)
	case mpi.Replace:
		r = b
	default:
		r = a
	}
	if t == mpi.Float32 {
		return uint64(math.Float32bits(float32(r)))
	}
	return math.Float64bits(r)
}

// combination is an operation on a type with operands x at the target and y.
type combination struct {
	t            mpi.Type
	o            mpi.Op
	x, y, result uint64
}

func (c combination) String() string { return fmt.Sprintf("%v of %v", c.o, c.t) }

// signedOnly are the operations that MPICH 4.0 carries out wrongly on unsigned
// integers. The package refuses them.
func signedOnly(t mpi.Type, o mpi.Op) bool {
	v := mpi.Vendor()
	return v.Name == "MPICH" && strings.HasPrefix(v.Version, "4.0") &&
		t >= mpi.Uint8 && t <= mpi.Uint64 && (o == mpi.Min || o == mpi.Max)
}

// combinations returns every operation on every type for which MPI has it, or only a
// few if the machine has few processors.
func (w world) combinations() (all []combination) {
	for t := mpi.Byte; t <= mpi.Float64; t++ {
		for o := mpi.Sum; o <= mpi.NoOp; o++ {
			bitwise := o >= mpi.BitAnd && o <= mpi.BitXor
			model, x, y := apply, uint64(0x8182838485868788)&mask(t), uint64(0x7172f37475767703)&mask(t)
			switch {
			case t >= mpi.Float32 && bitwise, t == mpi.Byte && o < mpi.BitAnd, signedOnly(t, o):
				continue
			case t == mpi.Float32:
				model, x, y = float, uint64(math.Float32bits(2.5)), uint64(math.Float32bits(-0.75))
			case t == mpi.Float64:
				model, x, y = float, math.Float64bits(2.5), math.Float64bits(-0.75)
			}
			all = append(all, combination{t, o, x, y, model(o, t, x, y)})
		}
	}
	if !w.crowded() {
		return all
	}
	few := all[:0]
	for i := 0; i < len(all); i += 9 {
		few = append(few, all[i])
	}
	return few
}

// elements returns n times the element x of type t.
func elements(t mpi.Type, x uint64, n int) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint64(nil, x)[:t.Size()], n)
}

const (
	slot = 64 // bytes of an area for each combination
	n    = 3  // elements of a combination
)

// accumulates at the right neighbour.
func accumulates(w world) error {
	all := w.combinations()
	src, old := make([]byte, slot*len(all)), make([]byte, slot*len(all))
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(&src[0])
	p.Pin(&old[0])
	for i, c := range all {
		copy(src[slot*i:], elements(c.t, c.y, n))
	}
	return withArea(w, func(a area) error {
		for _, get := range []bool{false, true} {
			err := w.inSlots(a, all, n, func(i int, c combination, at int) error {
				b := src[slot*i : slot*i+n*c.t.Size()]
				switch {
				case get:
					return a.win.GetAccumulate(b, old[slot*i:slot*i+len(b)], c.t, c.o, w.right(), at)
				case c.o == mpi.NoOp:
					return nil
				default:
					return a.win.Accumulate(b, c.t, c.o, w.right(), at)
				}
			})
			if err != nil {
				return fmt.Errorf("with result %v: %w", get, err)
			}
		}
		for i, c := range all {
			if got, want := old[slot*i:slot*i+n*c.t.Size()], elements(c.t, c.x, n); !bytes.Equal(got, want) {
				return fmt.Errorf("%v: the result is %x, expected %x", c, got, want)
			}
		}
		fill(old, guard)
		return nil
	})
}

// inSlots lets every process call do for all combinations at its right neighbour. There
// n elements x must become results, and nothing else may change.
func (w world) inSlots(a area, all []combination, n int, do func(i int, c combination, at int) error) error {
	fill(a.memory, guard)
	for i, c := range all {
		copy(a.memory[slot*i:], elements(c.t, c.x, n))
	}
	if err := errors.Join(a.win.Sync(), w.comm.Barrier()); err != nil {
		return err
	}
	for i, c := range all {
		if err := do(i, c, a.bases[w.right()]+slot*i); err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
	}
	if err := errors.Join(a.win.Flush(w.right()), w.comm.Barrier(), a.win.Sync()); err != nil {
		return err
	}
	for i, c := range all {
		want := append(elements(c.t, c.result, n), bytes.Repeat([]byte{guard}, slot)...)[:slot]
		if got := a.memory[slot*i : slot*(i+1)]; !bytes.Equal(got, want) {
			return fmt.Errorf("%v: the target is %x, expected %x", c, got, want)
		}
	}
	return w.comm.Barrier()
}

// atomics on single elements of the right neighbour.
func atomics(w world) error {
	buf, err := mpi.AllocMemory(24, mpi.Info{})
	if err != nil {
		return err
	}
	err = withArea(w, func(a area) error {
		target := w.right()
		err := w.inSlots(a, w.combinations(), 1, func(_ int, c combination, at int) error {
			src, old := buf[:c.t.Size()], buf[8:8+c.t.Size()]
			copy(src, elements(c.t, c.y, 1))
			err := errors.Join(a.win.FetchAndOp(src, old, c.t, c.o, target, at), a.win.Flush(target))
			return errors.Join(err, c.found(first(old)))
		})
		if err != nil {
			return err
		}
		err = w.inSlots(a, w.combinations(), 1, func(_ int, c combination, at int) error {
			old, err := a.win.FetchAndOpFlush(c.y, c.t, c.o, target, at)
			return errors.Join(err, c.found(old))
		})
		if err != nil {
			return fmt.Errorf("by value: %w", err)
		}
		return errors.Join(w.swaps(a, buf), wrongElements(a))
	})
	return errors.Join(err, mpi.FreeMemory(buf))
}

// found returns an error unless old is the old value of the target.
func (c combination) found(old uint64) error {
	if old != c.x {
		return fmt.Errorf("found %#x, expected %#x", old, c.x)
	}
	return nil
}

// swaps compares with the value at the target, and with another value.
func (w world) swaps(a area, buf []byte) error {
	var all []combination // with y to compare with
	const swap = 0x9192939495969798
	for _, t := range []mpi.Type{mpi.Int32, mpi.Int64, mpi.Uint32, mpi.Uint64} {
		x := uint64(0x8182838485868788) & mask(t)
		all = append(all, combination{t, mpi.Replace, x, x, swap & mask(t)}, combination{t, mpi.NoOp, x, x ^ 1, x})
	}
	target := w.right()
	err := w.inSlots(a, all, 1, func(_ int, c combination, at int) error {
		size := c.t.Size()
		s, compare, old := buf[:size], buf[8:8+size], buf[16:16+size]
		copy(s, elements(c.t, swap, 1))
		copy(compare, elements(c.t, c.y, 1))
		err := errors.Join(a.win.CompareAndSwap(s, compare, old, c.t, target, at), a.win.Flush(target))
		return errors.Join(err, c.found(first(old)))
	})
	if err != nil {
		return fmt.Errorf("compare and swap: %w", err)
	}
	err = w.inSlots(a, all, 1, func(_ int, c combination, at int) error {
		old, err := a.win.CompareAndSwapFlush(swap&mask(c.t), c.y, c.t, target, at)
		return errors.Join(err, c.found(old))
	})
	if err != nil {
		return fmt.Errorf("compare and swap by value: %w", err)
	}
	return nil
}

// first returns the element that b is.
func first(b []byte) (x uint64) {
	for i, v := range b {
		x |= uint64(v) << (8 * i)
	}
	return x
}

func wrongElements(a area) error {
	b := make([]byte, 16)
	_, errFetch := a.win.FetchAndOpFlush(0, mpi.Uint64, mpi.Op(9), 0, 0)
	_, errCas := a.win.CompareAndSwapFlush(0, 0, mpi.Int16, 0, 0)
	if signedOnly(mpi.Uint32, mpi.Min) {
		_, err := a.win.FetchAndOpFlush(0, mpi.Uint32, mpi.Min, 0, 0)
		if err := errors.Join(
			expect("Accumulate of unsigned integers", a.win.Accumulate(b, mpi.Uint32, mpi.Min, 0, 0), mpi.ErrOp),
			expect("GetAccumulate", a.win.GetAccumulate(b[:8], b[8:], mpi.Uint32, mpi.Max, 0, 0), mpi.ErrOp),
			expect("FetchAndOp", a.win.FetchAndOp(b[:8], b[8:], mpi.Uint64, mpi.Max, 0, 0), mpi.ErrOp),
			expect("FetchAndOpFlush", err, mpi.ErrOp),
		); err != nil {
			return err
		}
	}
	return errors.Join(
		expect("half an element", a.win.Accumulate(b[:6], mpi.Int32, mpi.Sum, 0, 0), mpi.ErrCount),
		expect("unknown type", a.win.Accumulate(b, mpi.Type(11), mpi.Sum, 0, 0), mpi.ErrType),
		expect("unknown operation", a.win.Accumulate(b, mpi.Byte, mpi.Op(-1), 0, 0), mpi.ErrOp),
		expect("short result", a.win.GetAccumulate(b, b[:8], mpi.Int32, mpi.Sum, 0, 0), mpi.ErrCount),
		expect("two elements", a.win.FetchAndOp(b, b, mpi.Int64, mpi.Sum, 0, 0), mpi.ErrCount),
		expect("no operation", a.win.FetchAndOp(b[:8], b[8:], mpi.Int64, mpi.Op(9), 0, 0), mpi.ErrOp),
		expect("two elements to compare", a.win.CompareAndSwap(b[:8], b, b[8:], mpi.Int64, 0, 0), mpi.ErrCount),
		expect("no operation by value", errFetch, mpi.ErrOp),
		expect("compare and swap of a byte", a.win.CompareAndSwap(b[:1], b[1:2], b[2:3], mpi.Byte, 0, 0), mpi.ErrType),
		expect("compare and swap of 16 bits", errCas, mpi.ErrType))
}

// contention makes all processes add to the same number and fight for another.
func contention(w world) error {
	rounds := 100
	if w.crowded() {
		rounds = 10
	}
	return withArea(w, func(a area) error {
		const counter, ticket = 0, 8
		fill(a.memory[:16], 0)
		if err := errors.Join(a.win.Sync(), w.comm.Barrier()); err != nil {
			return err
		}
		last := int64(-1)
		for range rounds {
			old, err := a.win.FetchAndOpFlush(1, mpi.Int64, mpi.Sum, 0, a.bases[0]+counter)
			if err != nil {
				return err
			}
			if int64(old) <= last {
				return fmt.Errorf("the counter went from %d to %d", last, old)
			}
			last = int64(old)
		}
		won := 0
		for i := range uint64(rounds) {
			old, err := a.win.CompareAndSwapFlush(i+1, i, mpi.Uint64, 0, a.bases[0]+ticket)
			if err != nil {
				return err
			}
			if old == i {
				won++
			}
		}
		all, err := w.gatherInts(won)
		if err != nil {
			return err
		}
		total := 0
		for _, n := range all {
			total += n
		}
		if err := a.win.Sync(); err != nil {
			return err
		}
		if w.rank == 0 {
			if n := first(a.memory[:8]); n != uint64(rounds*w.size) {
				return fmt.Errorf("the counter is %d, expected %d", n, rounds*w.size)
			}
			if n := first(a.memory[8:16]); total != rounds || n != uint64(rounds) {
				return fmt.Errorf("%d tickets were won, the last is %d, expected %d", total, n, rounds)
			}
		}
		return nil
	})
}
