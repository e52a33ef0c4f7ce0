package segbuf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
)

// TestStream sends numbered segments to memory of the library and to registered memory. All bytes arrive in
// order, no end waits for the other one, and all memory is freed.
func TestStream(t *testing.T) {
	forEachWay(t, func(t *testing.T, cfg globaltest.Config) {
		w := newWorld(t, cfg)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		const segment, count, total = 100, 5, 100
		for name, in := range map[string][]byte{
			"starter memory":    w.Ranks[1].Space.Starter()[:segment*count],
			"registered memory": foreign(t, segment*count),
		} {
			src, dst := w.pair(t, ctx, foreign(t, segment*count), in, segment)
			at := ga.Pos(dst.at)
			errs := make([]error, 2)
			var both sync.WaitGroup
			both.Go(func() { errs[0] = produce(ctx, src, total) })
			both.Go(func() { errs[1] = consume(ctx, dst, total) })
			both.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := dst.Disconnect(); !errors.Is(err, global.ErrDestroyed) {
				t.Errorf("%s: disconnect of a freed end: %v", name, err)
			}
			if _, err := w.Ranks[1].Space.Resolve(at, 1); (err == nil) != (dst.withdraw == nil) {
				t.Errorf("%s: when the ends are freed: %v", name, err)
			}
		}
		if n := w.blocks(t); n != 0 {
			t.Errorf("%d blocks are left", n)
		}
	})
}

// value is byte i of the segment with a number.
func value(number, i int) byte { return byte(number*7 + i) }

// produce publishes segments and frees the end.
func produce(ctx context.Context, e *End, total int) error {
	for n := range total {
		if err := until(ctx, e.IsReady); err != nil {
			return err
		}
		tail, err := e.Tail()
		if err != nil || tail != n%int(e.count) {
			return fmt.Errorf("tail %d of segment %d, %w", tail, n, err)
		}
		for i := range e.segment {
			e.buf[uint64(tail)*e.segment+i] = value(n, int(i))
		}
		if err := e.Ack(); err != nil {
			return err
		}
	}
	return errors.Join(e.Disconnect(), e.Close(ctx))
}

// consume takes segments and frees the end.
func consume(ctx context.Context, e *End, total int) error {
	for n := range total {
		if err := until(ctx, e.IsAcked); err != nil {
			return err
		}
		head, err := e.Head()
		if err != nil || head != n%int(e.count) {
			return fmt.Errorf("head %d of segment %d, %w", head, n, err)
		}
		for i := range e.segment {
			if got := e.buf[uint64(head)*e.segment+i]; got != value(n, int(i)) {
				return fmt.Errorf("byte %d of segment %d is %d", i, n, got)
			}
		}
		if err := e.Ready(); err != nil {
			return err
		}
	}
	return errors.Join(e.Disconnect(), e.Close(ctx))
}

// until calls ask until it returns true.
func until(ctx context.Context, ask func() (bool, error)) error {
	for {
		if yes, err := ask(); yes || err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		runtime.Gosched()
	}
}

// TestStates calls every method in every state of both ends.
func TestStates(t *testing.T) {
	forEachWay(t, func(t *testing.T, cfg globaltest.Config) {
		w := newWorld(t, cfg)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		now, cancelNow := context.WithCancel(ctx)
		cancelNow()
		src, err := w.buffers[0].NewSource(1, make([]byte, 32), 16)
		if err != nil {
			t.Fatal(err)
		}
		if yes, err := src.Connected(); yes || err != nil {
			t.Errorf("connected with nothing: %v, %v", yes, err)
		}
		all := func(when string, e *End, want, wantFree error) {
			t.Helper()
			_, errHead := e.Head()
			_, errReady := e.IsReady()
			_, errAcked := e.IsAcked()
			_, errTail := e.Tail()
			for name, err := range map[string]error{"head": errHead, "tail": errTail, "is ready": errReady, "is acked": errAcked} {
				if !errors.Is(err, want) {
					t.Errorf("%s: %s: %v, expected %v", when, name, err, want)
				}
			}
			if err := e.Close(now); !errors.Is(err, wantFree) {
				t.Errorf("%s: free: %v, expected %v", when, err, wantFree)
			}
		}
		all("waiting", src, ErrNotConnected, ErrNotConnected)
		if err := src.Connect(now); !errors.Is(err, context.Canceled) {
			t.Errorf("connect to nothing: %v", err)
		}
		if err := src.Disconnect(); !errors.Is(err, ErrNotConnected) {
			t.Errorf("disconnect from nothing: %v", err)
		}
		dst, err := w.buffers[1].NewDestination(0, make([]byte, 32), 16)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(src.Connect(ctx), dst.Connect(ctx)); err != nil {
			t.Fatal(err)
		}
		all("connected", src, nil, ErrConnected)
		all("connected", dst, nil, ErrConnected)
		_, errSent := dst.Sent()
		for _, c := range []struct {
			what      string
			got, want error
		}{
			{"ack at the wrong end", dst.Ack(), global.ErrNotEndpoint}, {"sent at the wrong end", errSent, global.ErrNotEndpoint},
			{"ready at the wrong end", src.Ready(), global.ErrNotEndpoint}, {"nothing is published", dst.Ready(), global.ErrEmpty},
			{"first segment", src.Ack(), nil}, {"second segment", src.Ack(), nil}, {"third segment of two", src.Ack(), ErrFull},
		} {
			if !errors.Is(c.got, c.want) {
				t.Errorf("%s: %v, expected %v", c.what, c.got, c.want)
			}
		}
		if err := src.Disconnect(); err != nil {
			t.Fatal(err)
		}
		all("disconnected", src, ErrDisconnected, context.Canceled)
		if err := src.Disconnect(); !errors.Is(err, ErrDisconnected) {
			t.Errorf("disconnected twice: %v", err)
		}
		src.underway.Add(1)
		if err := errors.Join(dst.Disconnect(), dst.Close(ctx)); err != nil {
			t.Fatal(err)
		}
		all("while a copy is under way", src, ErrDisconnected, context.Canceled)
		src.underway.Add(-1)
		if err := src.Close(ctx); err != nil {
			t.Fatal(err)
		}
		all("freed", src, global.ErrDestroyed, global.ErrDestroyed)
	})
}

// TestMappedAllocatesNothing: if the memory of the other end is mapped, a segment costs no allocation.
func TestMappedAllocatesNothing(t *testing.T) {
	w := newWorld(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	src, dst := w.pair(t, ctx, make([]byte, 64), w.Ranks[1].Space.Starter()[:64], 16)
	if n := testing.AllocsPerRun(100, func() {
		if err := errors.Join(src.Ack(), dst.Ready()); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a segment", n)
	}
}

// TestNewEndFails takes no memory and no number.
func TestNewEndFails(t *testing.T) {
	w := newWorld(t, globaltest.Config{Size: 2})
	b := w.buffers[0]
	mem := make([]byte, 64)
	for _, c := range []struct {
		rank    int
		mem     []byte
		segment int
		want    error
	}{
		{-1, mem, 8, global.ErrBadRank}, {2, mem, 8, global.ErrBadRank}, {1, nil, 8, global.ErrBadSize},
		{1, mem, 0, global.ErrBadSize}, {1, mem, -8, global.ErrBadSize}, {1, mem, 7, global.ErrBadSize},
	} {
		_, serr := b.NewSource(c.rank, c.mem, c.segment)
		_, derr := b.NewDestination(c.rank, c.mem, c.segment)
		if !errors.Is(serr, c.want) || !errors.Is(derr, c.want) {
			t.Errorf("%+v: %v, %v", c, serr, derr)
		}
	}
	broken := errors.New("no registration")
	b.publish = func([]byte) (uint64, func() error, error) { return 0, nil, broken }
	if _, err := b.NewDestination(1, mem, 8); err != broken {
		t.Errorf("without registration: %v", err)
	}
	if n := w.blocks(t); n != 0 || len(b.all()) != 0 {
		t.Errorf("%d blocks and %d ends are left", n, len(b.all()))
	}
}

// TestShapesDiffer: both ends of a segmented buffer report that their shapes differ.
func TestShapesDiffer(t *testing.T) {
	w := newWorld(t, globaltest.Config{Size: 2})
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	src, serr := w.buffers[0].NewSource(1, make([]byte, 64), 16)
	dst, derr := w.buffers[1].NewDestination(0, make([]byte, 64), 32)
	if err := errors.Join(serr, derr); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*End{src, dst} {
		if err := e.Connect(ctx); !errors.Is(err, collective.ErrDisagree) {
			t.Errorf("connect: %v", err)
		}
		if _, err := e.IsAcked(); !errors.Is(err, collective.ErrDisagree) {
			t.Errorf("is acked: %v", err)
		}
	}
}

// TestHostileCounters: an end uses only segments that exist, whatever values another process writes to its
// control block.
func TestHostileCounters(t *testing.T) {
	w := newWorld(t, globaltest.Config{Size: 2})
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	src, dst := w.pair(t, ctx, make([]byte, 64), make([]byte, 64), 16)
	for published := range 4 {
		for _, word := range []int64{math.MinInt64, -1, 0, 5, math.MaxInt64} {
			for _, e := range []*End{src, dst} {
				e.control.head, e.control.tail = word, word
				head, tail := e.counters()
				if head < 0 || tail < head || tail-head > 4 {
					t.Errorf("source %v with %d: head %d, tail %d", e.source, word, head, tail)
				}
				if e.source && tail != int64(published) || !e.source && head != 0 {
					t.Errorf("source %v with %d: head %d, tail %d, of which one is its own", e.source, word, head, tail)
				}
			}
		}
		src.control.head = 0
		if err := src.Ack(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMalformedMessage: the agent refuses messages that are no notes.
func TestMalformedMessage(t *testing.T) {
	w := newWorld(t, globaltest.Config{})
	if _, err := w.buffers[0].serve(fabric.Request{Body: make([]byte, 8*noteWords)}); !errors.Is(err, global.ErrProtocol) {
		t.Error(err)
	}
}

// TestRunEnds: the end of the run ends Connect, Free and Settle.
func TestRunEnds(t *testing.T) {
	forEachWay(t, func(t *testing.T, cfg globaltest.Config) {
		w := newWorld(t, cfg)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		left, _ := w.pair(t, ctx, make([]byte, 8), make([]byte, 8), 8)
		lonely, err := w.buffers[0].NewSource(1, make([]byte, 8), 8)
		if err := errors.Join(err, left.Disconnect()); err != nil {
			t.Fatal(err)
		}
		w.buffers[0].Settle() // messages arrive without the program of the other side
		over := errors.New("over")
		var all sync.WaitGroup
		for _, wait := range []func() error{
			func() error { return lonely.Connect(ctx) }, func() error { return left.Close(ctx) },
			func() error { return lonely.Connect(context.Background()) },
		} {
			all.Go(func() {
				if err := wait(); err != over {
					t.Errorf("got %v", err)
				}
			})
		}
		w.End(over)
		all.Wait()
		w.buffers[0].Settle()
	})
}

// TestReset: a Reset removes all ends and restarts their numbers, also if the ranks change.
func TestReset(t *testing.T) {
	forEachWay(t, func(t *testing.T, cfg globaltest.Config) {
		w := newWorld(t, cfg)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		for life := range uint32(3) {
			a, z := w.Rank(0), w.Rank(1)
			from, to := w.buffers[a.Numbers.Self()], w.buffers[z.Numbers.Self()]
			src, serr := from.NewSource(1, make([]byte, 8), 8)
			dst, derr := to.NewDestination(0, z.Space.Starter()[:8], 8)
			_, lerr := from.NewSource(1, make([]byte, 8), 8) // its other end is never made
			if err := errors.Join(serr, derr, lerr, src.Connect(ctx), dst.Connect(ctx)); err != nil {
				t.Fatal(err)
			}
			src.buf[0] = byte(life + 1)
			if err := errors.Join(src.Ack(), until(ctx, dst.IsAcked)); err != nil {
				t.Fatal(err)
			}
			if got := dst.buf[0]; got != byte(life+1) {
				t.Errorf("got %d in life %d", got, life)
			}
			for _, b := range w.buffers {
				b.Settle()
			}
			w.Renumber(t, []uint32{1 - life%2, life % 2})
			for _, b := range w.buffers {
				b.Forget()
			}
			if e1, e2 := src.Ack(), dst.Disconnect(); !errors.Is(e1, global.ErrDestroyed) || !errors.Is(e2, global.ErrDestroyed) {
				t.Errorf("after a reset: %v, %v", e1, e2)
			}
		}
	})
}
