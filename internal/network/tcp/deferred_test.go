package tcp

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// deferredCall is a call that the owner of a member answers later.
type deferredCall struct {
	*fabrictest.Outcome
	request, reply []byte
}

// callDeferred lets member to serve call number n, which it defers.
func callDeferred(w *world, from, to, n int) deferredCall {
	c := deferredCall{fabrictest.NewOutcome(), binary.LittleEndian.AppendUint64(nil, uint64(n)), make([]byte, 8)}
	w.transports[from].Call(to, 2, c.request, c.reply, c.Outcome)
	return c
}

// answer answers a call with its number.
func answer(d fabrictest.Deferred) { d.Done.Complete(uint64(copy(d.Reply, d.Request)), nil) }

// check waits for the answer to call number n.
func (c deferredCall) check(t *testing.T, n int) {
	t.Helper()
	size := c.Must(t)
	if got := binary.LittleEndian.Uint64(c.reply); size != 8 || got != uint64(n) {
		t.Errorf("call %d has the answer %d of %d bytes", n, got, size)
	}
}

// TestDeferred answers calls to another member and to the calling member itself in random order, on several
// goroutines. The requests behind them do not wait.
func TestDeferred(t *testing.T) {
	const calls = 300
	for to := range 2 {
		w := newWorld(t, 2, 4096)
		var all []deferredCall
		for n := range calls {
			all = append(all, callDeferred(w, 0, to, n))
		}
		behind := fabrictest.NewOutcome()
		w.transports[0].Call(to, 1, []byte("ab"), make([]byte, 2), behind)
		behind.Must(t)
		var waiting []fabrictest.Deferred
		for range calls {
			d := <-w.owners[to].Deferred
			if d.From != 0 {
				t.Fatalf("a call of member %d", d.From)
			}
			waiting = append(waiting, d)
		}
		rand.New(rand.NewPCG(1, uint64(to))).Shuffle(calls, func(i, k int) { waiting[i], waiting[k] = waiting[k], waiting[i] })
		var answering sync.WaitGroup
		for part := range 3 {
			answering.Go(func() {
				for i := part; i < calls; i += 3 {
					answer(waiting[i])
				}
			})
		}
		for n, c := range all {
			c.check(t, n)
		}
		answering.Wait()
	}
}

// TestDeferredError answers a call later with an error, and one with nothing.
func TestDeferredError(t *testing.T) {
	w := newWorld(t, 2, 4096)
	for to := range 2 {
		failing, empty := callDeferred(w, 0, to, 1), callDeferred(w, 0, to, 2)
		(<-w.owners[to].Deferred).Done.Complete(0, errors.New("no such lock"))
		(<-w.owners[to].Deferred).Done.Complete(0, nil)
		if _, err := failing.Wait(); err == nil || !strings.Contains(err.Error(), "no such lock") {
			t.Errorf("member %d: %v", to, err)
		}
		if n := empty.Must(t); n != 0 {
			t.Errorf("an answer of %d bytes", n)
		}
	}
}

// TestMoreDeferredThanWindow has far more calls deferred than the window has places. All of them arrive, and
// requests behind them are carried out, as a lock needs whose release is behind them. Afterwards all places
// of the window are free again.
func TestMoreDeferredThanWindow(t *testing.T) {
	const calls = 5 * window
	w := newWorld(t, 2, 4096)
	all := make([]deferredCall, calls)
	for n := range all {
		all[n] = callDeferred(w, 0, 1, n)
	}
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
	for range 2 * window {
		o := fabrictest.NewOutcome()
		w.transports[0].Atomic(1, startPos, add, o)
		o.Must(t)
	}
	for range calls {
		answer(<-w.owners[1].Deferred)
	}
	for n, c := range all {
		c.check(t, n)
	}
	l := w.transports[0].peers.Load(1)
	l.mu.Lock()
	if l.under != 0 || l.held.n != 0 {
		t.Errorf("%d requests under way and %d held when all are answered", l.under, l.held.n)
	}
	l.mu.Unlock()
	// The owner's count of owed answers is right: otherwise so many requests would exceed requestLimit.
	many := new(tally)
	many.left.Add(4 * window)
	for range 4 * window {
		w.transports[0].Atomic(1, startPos, add, many)
	}
	many.left.Wait()
	if many.err != nil {
		t.Error(many.err)
	}
}

// TestDeferredLinkDies cuts the connection before the answers. The calls fail, and the answers
// are dropped.
func TestDeferredLinkDies(t *testing.T) {
	w := newWorld(t, 2, 4096)
	var all []deferredCall
	for n := range 2 * window {
		all = append(all, callDeferred(w, 0, 1, n))
	}
	var waiting []fabrictest.Deferred
	for range all {
		waiting = append(waiting, <-w.owners[1].Deferred)
	}
	w.transports[0].peers.Load(1).abort()
	lost(t, w.owners[1])
	for i, d := range waiting {
		if i%2 == 0 {
			answer(d)
		} else {
			d.Done.Complete(0, errors.New("too late"))
		}
	}
	for n, c := range all {
		if _, err := c.Wait(); !errors.Is(err, fabric.ErrPeerDead) {
			t.Fatalf("call %d: %v, want ErrPeerDead", n, err)
		}
	}
}

// TestCloseWithDeferred closes the initiator, or the owner, while calls wait for their
// answers. Close returns, the calls fail, and the answers are dropped.
func TestCloseWithDeferred(t *testing.T) {
	for closing, want := range []error{fabric.ErrClosed, fabric.ErrPeerDead} {
		w := newWorld(t, 2, 4096)
		c := callDeferred(w, 0, 1, 0)
		d := <-w.owners[1].Deferred
		if err := w.transports[closing].Close(); err != nil {
			t.Error(err)
		}
		if _, err := c.Wait(); !errors.Is(err, want) {
			t.Errorf("after Close of member %d: %v, want %v", closing, err, want)
		}
		answer(d)
	}
}

// TestDeferredBeforeServeReturns answers before Serve has returned, like a lock that has become free
// meanwhile.
func TestDeferredBeforeServeReturns(t *testing.T) {
	w := newWorld(t, 2, 4096)
	for to := range 2 {
		w.transports[to].cfg.Owner = &hasty{w.owners[to]}
		callDeferred(w, 0, to, 7).check(t, 7)
	}
}

// hasty is an owner that answers every call later and at once.
type hasty struct{ *fabrictest.Owner }

// Serve implements fabric.Owner.
func (h *hasty) Serve(r fabric.Request) (int, error) {
	done := r.Later.Defer()
	done.Complete(uint64(copy(r.Reply, r.Body)), nil)
	return 0, errors.New("ignored, since the answer was deferred")
}

// TestDeferredTwice lets a peer announce that a request is deferred which is no call, or which is
// deferred already.
func TestDeferredTwice(t *testing.T) {
	scratch := fabrictest.Pages(t, 4096)
	cases := []struct {
		name      string
		ask       func(f *Transport, o *fabrictest.Outcome)
		deferrals int
	}{
		{"call", func(f *Transport, o *fabrictest.Outcome) { f.Call(2, 1, nil, nil, o) }, 2},
		{"get", func(f *Transport, o *fabrictest.Outcome) { f.Get(2, startPos, unsafe.Pointer(&scratch[0]), 64, o) }, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 3, 4096)
			p := intrude(t, w, 2)
			p.expect(kindWelcome, statusOK)
			o := fabrictest.NewOutcome()
			c.ask(w.transports[0], o)
			asked, err := p.read()
			if err != nil {
				t.Fatal(err)
			}
			for range c.deferrals {
				p.send(header{kind: kindDeferred, id: asked.id}, nil)
			}
			if err := lost(t, w.owners[0]); !strings.Contains(err.Error(), "cannot be deferred") {
				t.Errorf("PeerLost: %v", err)
			}
			if _, err := o.Wait(); !errors.Is(err, fabric.ErrPeerDead) {
				t.Errorf("the request: %v", err)
			}
		})
	}
}
