package channel

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ring"
)

// long is the size of a message that the receiver copies.
const long = 100_000

// connected returns the ends of channels from the first of two Engines to the second, over which a message
// has gone.
func connected(ctx context.Context, t *testing.T, engines []*Engine, n int) (out, in []*Channel) {
	for range n {
		out = append(out, must(engines[0].NewSender(1)))
		in = append(in, must(engines[1].NewReceiver(0, defaultRing)))
	}
	for i := range n {
		together(t, func() error { return send(ctx, out[i], []byte("first")) },
			func() error { return receive(ctx, in[i], []byte("first")) })
	}
	return out, in
}

// until waits for a condition, and ends the test if ctx ends before.
func until(ctx context.Context, t *testing.T, what string, cond func() bool) {
	t.Helper()
	for !cond() {
		if ctx.Err() != nil {
			t.Fatal("not " + what)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// TestNotifiedWhileLocked notifies a channel that another goroutine has locked. The server goroutine
// serves other channels meanwhile, and the other goroutine serves this channel when it unlocks it.
func TestNotifiedWhileLocked(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	engines := open(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	out, in := connected(ctx, t, engines, 2)
	bufs := [][]byte{make([]byte, long), make([]byte, long)}
	var received []*Request
	for i, c := range in {
		received = append(received, must(c.Recv(bufs[i])))
	}
	in[0].lock()
	sent := []*Request{must(out[0].Send(message(0, long)))}
	until(ctx, t, "notified", func() bool { return in[0].is(notified) })
	sent = append(sent, must(out[1].Send(message(1, long))))
	until(ctx, t, "received", received[1].Done)
	if received[0].Done() {
		t.Error("a channel was served while it was locked")
	}
	in[0].unlock()
	if !received[0].Done() || in[0].is(notified) {
		t.Error("a channel that had been notified was unlocked and not served")
	}
	if err := awaitAll(ctx, append(sent, received...)); err != nil {
		t.Fatal(err)
	}
	for i, buf := range bufs {
		if !bytes.Equal(buf, message(i, long)) {
			t.Errorf("message %d is not as it was sent", i)
		}
	}
}

// TestNotNotifiedWhilePolled: a sender notifies a receiver that asks for help, but not while the receiver polls.
func TestNotNotifiedWhilePolled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	engines := open(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	out, in := connected(ctx, t, engines, 1)
	events := engines[1].space.Notifier().Events
	for _, polls := range []bool{true, false} {
		received := must(in[0].Recv(make([]byte, long)))
		r := in[0].end().LoadRing()
		if got := atomic.LoadUint32(&r.Want); got != ring.WantHelp {
			t.Fatalf("the receiver wants %d, expected help", got)
		}
		if polls {
			atomic.StoreUint32(&r.Polling, 1)
		}
		before := atomic.LoadUint32(events)
		sent := must(out[0].Send(message(0, long)))
		if notified := atomic.LoadUint32(events) != before; notified == polls {
			t.Errorf("the receiver polls: %v; the sender has notified it: %v", polls, notified)
		}
		atomic.StoreUint32(&r.Polling, 0)
		if err := awaitAll(ctx, []*Request{received, sent}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCopyingPolls: a receiver that copies a long message counts as polling, so that a sender of another
// message does not notify it.
func TestCopyingPolls(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	engines := open(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	out, in := connected(ctx, t, engines, 1)
	r := in[0].end().LoadRing()
	if atomic.LoadUint32(&r.Direct) == 0 {
		t.Fatal("the kernel does not permit process_vm_readv between threads of one process")
	}
	const size = 8 << 20
	buf := make([]byte, size)
	var polled, end atomic.Bool
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for !end.Load() {
			if atomic.LoadUint32(&r.Polling) != 0 {
				polled.Store(true)
			}
		}
	})
	defer func() { // the memory of the ring is unmapped after the test
		end.Store(true)
		watcher.Wait()
	}()
	for !polled.Load() {
		if ctx.Err() != nil {
			t.Fatal("a receiver that copies does not say so")
		}
		sent := must(out[0].Send(contents()[:size]))
		received := must(in[0].Recv(buf))
		if err := awaitAll(ctx, []*Request{sent, received}); err != nil {
			t.Fatal(err)
		}
	}
	if atomic.LoadUint32(&r.Polling) != 0 {
		t.Error("the receiver seems to copy for ever")
	}
}
