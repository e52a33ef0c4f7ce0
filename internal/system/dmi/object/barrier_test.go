package object

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/futex"
)

// TestBarrierHandOvers: no thread leaves a round before all have come, and no wake-up is lost.
func TestBarrierHandOvers(t *testing.T) {
	for _, c := range []struct{ processes, each int }{{1, 1}, {1, 3}, {2, 1}, {3, 4}, {12, 1}, {30, 3}, {150, 1}} {
		w, all := newWorld(t, c.processes)
		addr := w.at(BarrierSize)
		must(t, all[0].InitBarrier(addr))
		n := c.processes * c.each
		rounds := *handOvers / n / 2
		var arrived atomic.Int64
		meet(t, all, c.each, addr, func(l *LocalBarrier, th Thread) error {
			for round := range rounds {
				arrived.Add(1)
				if err := l.Sync(forever, n); err != nil {
					return err
				}
				if got := int(arrived.Load()); got < (round+1)*n {
					return fmt.Errorf("%d threads have come when round %d of %d ends", got, round, n)
				}
				dither()
				if err := l.Sync(forever, n); err != nil {
					return err
				}
			}
			return nil
		})
		must(t, all[0].DestroyBarrier(addr))
		w.idle(all)
	}
}

// count counts a thread as C does, if it is not the last one of a round that has entries, and reports whether the round has ended. ok is false if Sync
// has to do it.
func (w *world) count(addr int64, n int) (round uint32, ended, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, err := w.page(addr, BarrierSize)
	must(w.t, err)
	r, call := barrier{b}, gathering{threads: uint32(n)}
	if b[brokenAt] != 0 || r.arrived() != 0 && r.call() != call || r.arrived()+1 == uint32(n) && r.arrived() != 0 && r.entries() != 0 {
		return 0, false, false
	}
	if r.arrived() == 0 {
		call.put(b, callAt)
		r.setCombined(value{})
		b[entriesAt] = 0
	}
	round = r.round()
	return round, r.count(1), true
}

// looks looks at the number of the round for a while, as C does, and reports whether the round has ended.
func (w *world) looks(addr int64, round uint32, times int) bool {
	for range times {
		w.mu.Lock()
		b, err := w.page(addr, BarrierSize)
		ended := err == nil && barrier{b}.round() != round
		w.mu.Unlock()
		if ended {
			return true
		}
		dither()
	}
	return false
}

// syncByC is Sync as C does it.
func (w *world) syncByC(l *LocalBarrier, addr int64, n, times int) error {
	round, ended, ok := w.count(addr, n)
	switch {
	case !ok:
		return l.Sync(forever, n)
	case ended || w.looks(addr, round, times):
		return nil
	}
	return l.Await(n, round)
}

// TestBarrierCounted: threads that C has counted and threads with entries meet in the same rounds.
func TestBarrierCounted(t *testing.T) {
	random := seeded(t)
	for _, c := range []struct{ processes, each int }{{1, 1}, {1, 3}, {2, 1}, {3, 4}, {30, 3}} {
		w, all := newWorld(t, c.processes)
		addr := w.at(BarrierSize)
		must(t, all[0].InitBarrier(addr))
		n := c.processes * c.each
		rounds := *handOvers / n
		var arrived atomic.Int64
		meet(t, all, c.each, addr, func(l *LocalBarrier, th Thread) error {
			rnd := random(th)
			for round := range rounds {
				arrived.Add(1)
				var err error
				if rnd.IntN(3) == 0 {
					err = l.Sync(forever, n)
				} else {
					err = w.syncByC(l, addr, n, rnd.IntN(4))
				}
				if got := int(arrived.Load()); err == nil && got < (round+1)*n {
					err = fmt.Errorf("%d threads have come when round %d of %d ends", got, round, n)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		must(t, all[0].DestroyBarrier(addr))
		w.idle(all)
	}
}

// TestBarrierWakes: threads that sleep at the number of a round are woken when the round ends, and when it breaks. The number outlives the barrier.
func TestBarrierWakes(t *testing.T) {
	for i := range 400 {
		b := make([]byte, BarrierSize)
		initBarrier(b, []byte{9, 0, 0, 0}, nil)
		r, threads := barrier{b}, uint32(2+i%2) // the second call differs in every other round
		r.arrive(&arrival{threads: 1, call: gathering{threads: 2}})
		b[entriesAt], b[asleepAt] = 0, 1 // as C counts it
		round, woken := r.round(), make(chan struct{})
		go func() {
			defer close(woken)
			futex.Wait(r.number(), round, time.Hour)
		}()
		time.Sleep(time.Duration(i%4) * 100 * time.Microsecond)
		got := r.arrive(&arrival{threads: 1, call: gathering{threads: threads}})
		if threads != 2 {
			if got.status != mismatch || r.round() != round || b[asleepAt] != 0 {
				t.Fatalf("a round with different calls: status %d, round %d, asleep %d", got.status, r.round(), b[asleepAt])
			}
			for { // a thread that begins to sleep later is not woken: C looks before
				futex.Wake(r.number())
				select {
				case <-woken:
				case <-time.After(time.Millisecond):
					continue
				}
				break
			}
			continue
		}
		select {
		case <-woken:
		case <-time.After(limit()):
			t.Fatal("a thread sleeps although the round has ended")
		}
		out := make([]byte, 2)
		destroyBarrier(b, nil, out)
		if got.status != done || r.round() != round+1 || kindOf(b) != none || b[asleepAt] != 0 {
			t.Fatalf("status %d, then %v is left of the barrier; expected round %d", got.status, b, round+1)
		}
	}
}

// TestBarrierCountedDiffers: a thread that C has counted fails if another thread calls differently, and only in the round in which it does.
func TestBarrierCountedDiffers(t *testing.T) {
	w, all := newWorld(t, 3)
	addr := w.at(BarrierSize)
	for range 100 {
		must(t, all[0].InitBarrier(addr))
		meet(t, all, 2, addr, func(l *LocalBarrier, th Thread) error {
			if err := w.syncByC(l, addr, 6, 2); err != nil {
				return err
			}
			n := 6
			if th == (Thread{1, 1}) {
				n = 5
			}
			if err := w.syncByC(l, addr, n, 2); !errors.Is(err, ErrMismatch) {
				return fmt.Errorf("a round with different calls ends with %v", err)
			}
			return nil
		})
	}
	must(t, all[0].DestroyBarrier(addr))
	w.idle(all)
}

// TestBarrierPairs: if fewer threads belong to a round than there are, any of them make up a round.
func TestBarrierPairs(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		w, all := newWorld(t, 3)
		addr := w.at(BarrierSize)
		must(t, all[0].InitBarrier(addr))
		total := int64(*handOvers / 10 / n * n)
		var arrivals atomic.Int64
		meet(t, all, n, addr, func(l *LocalBarrier, th Thread) error {
			for arrivals.Add(1) <= total {
				v := make([]byte, 4)
				binary.NativeEndian.PutUint32(v, 1)
				if err := l.AllReduce(forever, n, v, v, OpSum, TypeInt); err != nil {
					return err
				}
				if got := binary.NativeEndian.Uint32(v); got != uint32(n) {
					return fmt.Errorf("%d threads in a round of %d", got, n)
				}
			}
			return nil
		})
		w.idle(all)
	}
}

// model combines the bytes of two values as a program would.
func model(op, kind int8, a, b []byte) []byte {
	e := binary.NativeEndian
	pick := func(less bool) []byte {
		if less == (op == OpMin) {
			return a
		}
		return b
	}
	integer := func(b []byte) int64 {
		switch kind {
		case TypeChar:
			return int64(int8(b[0]))
		case TypeShort:
			return int64(int16(e.Uint16(b)))
		case TypeInt:
			return int64(int32(e.Uint32(b)))
		}
		return int64(e.Uint64(b))
	}
	out := make([]byte, 8)
	switch {
	case kind == TypeFloat || kind == TypeDouble:
		number := func(b []byte) float64 {
			if kind == TypeFloat {
				return float64(math.Float32frombits(e.Uint32(b)))
			}
			return math.Float64frombits(e.Uint64(b))
		}
		x, y := number(a), number(b)
		if op == OpMin || op == OpMax {
			return pick(x < y)
		}
		r := x + y
		if op == OpProd {
			r = x * y
		}
		if kind == TypeFloat {
			e.PutUint32(out, math.Float32bits(float32(r)))
			return out[:4]
		}
		e.PutUint64(out, math.Float64bits(r))
		return out
	case op == OpMin || op == OpMax:
		return pick(integer(a) < integer(b))
	case op == OpProd:
		e.PutUint64(out, uint64(integer(a)*integer(b)))
	default:
		e.PutUint64(out, uint64(integer(a)+integer(b)))
	}
	if kind == TypeChar {
		return []byte{byte(e.Uint64(out))}
	}
	if kind == TypeShort {
		e.PutUint16(out[4:], uint16(e.Uint64(out)))
		return out[4:6]
	}
	if kind == TypeInt {
		e.PutUint32(out[4:], uint32(e.Uint64(out)))
		return out[4:]
	}
	return out
}

// operand returns a random value of a type. Floats are small integers and powers of two, so that each order of operations has
// the same result.
func operand(rnd *rand.Rand, op, kind int8) []byte {
	b := make([]byte, 8)
	binary.NativeEndian.PutUint64(b, rnd.Uint64())
	x := float64(rnd.IntN(2000) - 1000)
	if op == OpProd {
		x = math.Ldexp(1-2*float64(rnd.IntN(2)), rnd.IntN(5)-2)
	}
	switch kind {
	case TypeFloat:
		binary.NativeEndian.PutUint32(b, math.Float32bits(float32(x)))
	case TypeDouble:
		binary.NativeEndian.PutUint64(b, math.Float64bits(x))
	}
	return b[:ValueSize(kind)]
}

// TestAllReduceModel: all operations on all types give what a serial program gives, with random numbers of threads.
func TestAllReduceModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const processes, each = 4, 3
	w, all := newWorld(t, processes)
	addr := w.at(2 * BarrierSize)
	must(t, all[0].InitBarrier(addr))
	must(t, all[0].InitBarrier(addr+BarrierSize))
	meet(t, all, each, addr, func(l *LocalBarrier, th Thread) error {
		between, err := l.station.objects.NewLocalBarrier(addr + BarrierSize)
		if err != nil {
			return err
		}
		defer between.Destroy()
		me := th.Member*each + int(th.Number)
		common := rand.New(rand.NewPCG(seed, 1)) // the same for all threads
		for round := range *handOvers / 50 {
			n := 1 + common.IntN(processes*each)
			op, kind := int8(1+common.IntN(4)), int8(1+common.IntN(7))
			var want, mine []byte
			for i := range n {
				v := operand(common, op, kind)
				if i == me {
					mine = slices.Clone(v)
				}
				if i == 0 {
					want = v
				} else {
					want = model(op, kind, want, v)
				}
			}
			if me < n {
				if err := l.AllReduce(forever, n, mine, mine, op, kind); err != nil {
					return err
				}
				if !slices.Equal(mine, want) {
					return fmt.Errorf("round %d: operation %d, type %d: %v; expected %v", round, op, kind, mine, want)
				}
			}
			if err := between.Sync(forever, processes*each); err != nil {
				return err
			}
		}
		return nil
	})
	w.idle(all)
}

// TestBarrierMismatch: if a thread calls differently, all threads fail until the barrier is initialised again.
func TestBarrierMismatch(t *testing.T) {
	for _, c := range []struct {
		call func(l *LocalBarrier) error
		text string
	}{
		{func(l *LocalBarrier) error { return l.Sync(forever, 7) }, "sync of 7 threads"},
		{func(l *LocalBarrier) error { return l.Sync(forever, 5) }, "sync of 5 threads"},
		{func(l *LocalBarrier) error { v := []byte{1}; return l.AllReduce(forever, 6, v, v, OpMin, TypeChar) },
			"allreduce of 6 threads, operation 2, type 1"},
	} {
		w, all := newWorld(t, 3)
		addr := w.at(BarrierSize)
		for range 20 {
			must(t, all[0].InitBarrier(addr))
			meet(t, all, 2, addr, func(l *LocalBarrier, th Thread) error {
				for range 3 {
					var err error
					if th == (Thread{1, 1}) {
						err = c.call(l)
					} else {
						err = l.Sync(forever, 6)
					}
					text := fmt.Sprintf("barrier at %#x: threads call it differently: ", addr)
					if !errors.Is(err, ErrMismatch) || err.Error() != text+"sync of 6 threads, and "+c.text && err.Error() != text+c.text+", and sync of 6 threads" {
						return fmt.Errorf("a round with different calls ends with %v", err)
					}
				}
				return nil
			})
		}
		must(t, all[0].DestroyBarrier(addr))
		must(t, all[0].InitBarrier(addr))
		meet(t, all, 2, addr, func(l *LocalBarrier, th Thread) error {
			return l.Sync(forever, 6)
		})
		w.idle(all)
	}
}

// TestBarrierMisuse: each misuse fails with its text and changes nothing.
func TestBarrierMisuse(t *testing.T) {
	w, all := newWorld(t, 1)
	o, addr := all[0], w.at(4096)
	missing := "barrier at 0x100000000: it has not been initialised, or it has been destroyed"
	_, err := o.NewLocalBarrier(addr)
	expect(t, err, ErrNotInitialised, missing)
	expect(t, o.DestroyBarrier(addr), ErrNotInitialised, missing)
	must(t, o.InitBarrier(addr))
	l, err := o.NewLocalBarrier(addr)
	must(t, err)
	v := make([]byte, 4)
	for _, c := range []struct {
		err  error
		text string
	}{
		{l.Sync(forever, 0), "0 threads"},
		{l.Sync(forever, -5), "-5 threads"},
		{l.AllReduce(forever, 1, v, v, 0, TypeInt), "operation 0; expected 1 to 4"},
		{l.AllReduce(forever, 1, v, v, OpSum, 8), "type 8; expected 1 to 7"},
		{l.AllReduce(forever, 1, v, v, OpSum, TypeLong), "4 and 4 bytes for type 4; expected 8"},
	} {
		expect(t, c.err, ErrArgument, "barrier at 0x100000000: invalid argument: "+c.text)
	}
	ctx, cancel := context.WithCancel(forever)
	ended := make(chan error)
	go func() { ended <- l.Sync(ctx, 2) }()
	w.until(func() bool { return w.arrived(addr) == 1 })
	expect(t, o.DestroyBarrier(addr), ErrWaiting, "barrier at 0x100000000: threads wait at it")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Sync whose context ends returns %v", err)
	}
	must(t, l.Sync(forever, 2)) // the thread has arrived twice
	must(t, o.DestroyBarrier(addr))
	expect(t, l.Sync(forever, 1), ErrNotInitialised, missing)
	must(t, o.InitMutex(addr+128))
	_, err = o.NewLocalBarrier(addr + 128)
	expect(t, err, ErrKind, "barrier at 0x100000080: the address has an object of another kind: a mutex")
	l.Destroy()
	w.idle(all)
}

// arrived returns how many threads have arrived at a barrier in this round.
func (w *world) arrived(addr int64) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, err := w.page(addr, BarrierSize)
	must(w.t, err)
	return int(barrier{b}.arrived())
}

// TestBarrierContexts: threads whose context ends have arrived all the same, and the others do not notice.
func TestBarrierContexts(t *testing.T) {
	w, all := newWorld(t, 4)
	addr := w.at(BarrierSize)
	must(t, all[0].InitBarrier(addr))
	random := seeded(t)
	total := int64(*handOvers / 10 / 12 * 12)
	var arrivals atomic.Int64
	meet(t, all, 3, addr, func(l *LocalBarrier, th Thread) error {
		rnd := random(th)
		for arrivals.Add(1) <= total {
			ctx, cancel := context.WithCancel(forever)
			if rnd.IntN(4) == 0 {
				go func() {
					dither()
					cancel()
				}()
			}
			err := l.Sync(ctx, 12)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				return err
			}
		}
		return nil
	})
	w.idle(all)
}

// TestBarrierTrees: the last arrival tells up to 10 processes itself, and up to 64 by way of one other. Each process is
// told once.
func TestBarrierTrees(t *testing.T) {
	for processes := 1; processes < 1200; processes += 1 + processes/7 {
		b := make([]byte, BarrierSize)
		initBarrier(b, make([]byte, 4), nil)
		children := map[place][]place{}
		var roots []place
		for i := range processes {
			a := arrival{to: place{uint32(i), uint32(7 * i)}, threads: 1, call: gathering{threads: uint32(processes)}}
			got := barrier{b}.arrive(&a)
			if i < processes-1 {
				children[a.to] = got.tell
			} else {
				roots = got.tell
			}
		}
		told, depth := 0, 0
		for level := roots; len(level) > 0; depth++ {
			var next []place
			for _, p := range level {
				next = append(next, children[p]...)
			}
			told += len(level)
			level = next
		}
		if told != processes-1 {
			t.Errorf("%d of %d processes are told", told, processes-1)
		}
		want := 5
		for i, most := range []int{0, 10, 64, 250, 900} {
			if processes-1 <= most {
				want = i
				break
			}
		}
		if depth > want {
			t.Errorf("%d processes make a tree of depth %d; expected at most %d", processes, depth, want)
		}
	}
}
