package tcp

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// pollBriefly polls the link with a peer inline, or all links with operations under way, for a short time, and at random.
func pollBriefly(f *Transport, peer int, r *rand.Rand) {
	turns := r.IntN(50)
	enough := func() bool {
		turns--
		return turns < 0
	}
	if quiet := time.Duration(r.IntN(50_000)); r.IntN(2) == 0 {
		f.PollInline(peer, quiet, enough)
	} else {
		f.PollAllInline(quiet, enough)
	}
}

// connect makes the first two members of a world have a connection.
func connect(t *testing.T, w *world) {
	t.Helper()
	o := fabrictest.NewOutcome()
	w.transports[0].Atomic(1, startPos, fabric.Atomic{Op: fabric.OpAdd, Width: 8}, o)
	o.Must(t)
}

// TestInlineConformance: the goroutines of a link and threads that poll it inline take turns.
func TestInlineConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := newWorld(t, n, fabrictest.MemorySize)
		var over atomic.Bool
		var all sync.WaitGroup
		for self, f := range w.transports {
			all.Go(func() {
				for r := rand.New(rand.NewPCG(1, uint64(self))); !over.Load(); {
					pollBriefly(f, r.IntN(n), r)
					time.Sleep(time.Duration(r.IntN(50_000)))
				}
			})
		}
		t.Cleanup(func() {
			over.Store(true)
			all.Wait()
		})
		return w.members(func(f fabric.Transport) fabric.Transport { return f })
	})
}

// TestInlineFlood: no byte is lost or stays in a socket when threads stop polling inline in the middle of
// traffic between two members.
func TestInlineFlood(t *testing.T) {
	const size, rounds = 4 << 20, 50
	for name, auth := range map[string]driver.Authenticator{"in clear": word, "encrypted": newEncrypting(t)} {
		t.Run(name, func(t *testing.T) {
			w := newProvenWorld(t, 2, size, auth, func(int) time.Duration { return 20 * time.Microsecond })
			var floods []*flood
			for self, f := range w.transports {
				r := rand.New(rand.NewPCG(uint64(self), 3))
				floods = append(floods, &flood{f, 1 - self, r, fabrictest.Pages(t, size), fabrictest.Pages(t, size)})
			}
			for round := range rounds {
				var all sync.WaitGroup
				errs := make([]error, len(floods))
				for i, f := range floods {
					all.Go(func() { errs[i] = f.round() })
				}
				all.Wait()
				if err := errors.Join(errs...); err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
			}
		})
	}
}

// flood is the traffic from one member to another.
type flood struct {
	f          *Transport
	peer       int
	r          *rand.Rand
	from, back []byte
}

// round puts random bytes into all memory of the peer, in parts, and gets them back. A thread polls the
// link for a while.
func (f *flood) round() error {
	for i := 0; i < len(f.from); i += 1 + f.r.IntN(1000) {
		f.from[i] = byte(f.r.Uint32())
	}
	var done []*fabrictest.Outcome
	each := func(begin func(peer int, pos uint64, p unsafe.Pointer, n uint64, done fabric.Completion), memory []byte) {
		for at := 0; at < len(memory); {
			n := min(1+f.r.IntN(len(memory)/4), len(memory)-at)
			o := fabrictest.NewOutcome()
			done = append(done, o)
			begin(f.peer, startPos+uint64(at), unsafe.Pointer(&memory[at]), uint64(n), o)
			at += n
		}
	}
	each(f.f.Put, f.from)
	each(f.f.Get, f.back)
	pollBriefly(f.f, f.peer, f.r)
	for _, o := range done {
		if _, err := o.Wait(); err != nil {
			return err
		}
	}
	if !bytes.Equal(f.from, f.back) {
		return errors.New("the bytes that have come back are not those that were put")
	}
	return nil
}

// TestPollInlineMovesAll: a thread that polls inline needs no other goroutine to send a long payload, or to receive it.
func TestPollInlineMovesAll(t *testing.T) {
	const size = 32 << 20
	w := newWorld(t, 2, size)
	src := fabrictest.Pages(t, size)
	for i := range src {
		src[i] = byte(i >> 8)
	}
	connect(t, w)
	for _, f := range w.transports {
		for _, l := range *f.links.Load() {
			l.inline.Add(1) // the goroutines of the link stop receiving and sending
			defer l.endInline()
		}
	}
	var arrived, over atomic.Bool
	var all sync.WaitGroup
	all.Go(func() { w.transports[1].PollInline(0, time.Minute, over.Load) })
	o := fabrictest.NewOutcome()
	w.transports[0].Put(1, startPos, unsafe.Pointer(&src[0]), size, o)
	all.Go(func() {
		_, _ = o.Wait()
		arrived.Store(true)
	})
	w.transports[0].PollInline(1, time.Minute, arrived.Load)
	over.Store(true)
	all.Wait()
	if o.Must(t); !bytes.Equal(src, w.owners[1].Memory) {
		t.Error("the bytes that have arrived are not those that were put")
	}
}

// TestEndInlineWakes: requests that arrive before a thread stops polling inline, and after it has received last, are
// carried out, although nothing arrives after them.
func TestEndInlineWakes(t *testing.T) {
	for _, auth := range []driver.Authenticator{word, newEncrypting(t)} {
		w := newProvenWorld(t, 2, 4096, auth, noPollBudget)
		connect(t, w)
		l := (*w.transports[1].links.Load())[0]
		for i := range 20 {
			a := inlinePoll{links: []*link{l}, quiet: time.Minute}
			a.begin()
			if i%2 == 0 {
				l.pollLink() // raises the mark, if begin has not
			}
			o := fabrictest.NewOutcome()
			w.transports[0].Atomic(1, startPos, fabric.Atomic{Op: fabric.OpAdd, Width: 8}, o)
			for end := time.Now().Add(deadline); ; runtime.Gosched() {
				if n, err := unix.IoctlGetInt(l.fd, unix.TIOCINQ); err != nil || n > 0 {
					break
				} else if time.Now().After(end) {
					t.Fatal("the request does not arrive")
				}
			}
			a.end()
			o.Must(t)
		}
	}
}

// TestKernelWakes compares releases of the kernel with the first one that wakes readers.
func TestKernelWakes(t *testing.T) {
	for release, want := range map[string]bool{
		"4.17.0": false, "4.18.0-553.el8": true, "6.1.0-18-amd64": true, "3.20": false, "5": false, "": false, "10.0": true,
	} {
		if got := kernelWakes(release); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

// TestPollAllInline: a thread that polls all links with operations under way inline, and no goroutine of
// these links, receives the answers of several peers. The other links keep their goroutines.
func TestPollAllInline(t *testing.T) {
	const members = 7
	w := newWorld(t, members, 4096)
	for peer := 1; peer < members; peer++ {
		o := fabrictest.NewOutcome()
		w.transports[0].Get(peer, startPos, nil, 0, o)
		o.Must(t)
	}
	never := func() bool { return false }
	if w.transports[0].PollAllInline(time.Hour, never) {
		t.Error("there is something to poll inline without an operation under way")
	}
	if w.transports[0].PollAllInline(time.Hour, func() bool { return true }); w.transports[0].peers.Load(1).inline.Load() != 0 {
		t.Error("a link is polled inline for nothing")
	}
	one := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
	for round := range uint64(50) {
		var left atomic.Int32
		for peer := 1; peer < members-1; peer++ {
			l := w.transports[0].peers.Load(peer)
			l.inline.Add(1) // the goroutines of the link stop receiving and sending
			defer l.endInline()
			left.Add(1)
			w.transports[0].Atomic(peer, startPos, one, foundValue{t, round, &left})
		}
		if !w.transports[0].PollAllInline(time.Minute, func() bool { return left.Load() == 0 }) || left.Load() != 0 {
			t.Fatalf("round %d: %d peers have not answered", round, left.Load())
		}
	}
	o := fabrictest.NewOutcome()
	w.transports[0].Get(members-1, startPos, nil, 0, o)
	o.Must(t)
}

// TestPollAllInlineBegins: done, called for the first time, issues an operation whose answer wakes no goroutine.
func TestPollAllInlineBegins(t *testing.T) {
	w := newWorld(t, 2, 4096)
	connect(t, w)
	l := w.transports[0].peers.Load(1)
	raised := 0
	for round := range uint64(20) {
		l.waiting.Add(1) // an operation is in flight
		var left atomic.Int32
		left.Store(1)
		begun := false
		if !w.transports[0].PollAllInline(time.Minute, func() bool {
			if !begun {
				begun = true
				if n := l.inline.Load(); n != 1 {
					t.Errorf("%d threads poll inline", n)
				}
				if lowWater(t, l) > 1 { // unless the reader was receiving
					raised++
				}
				w.transports[0].Atomic(1, startPos, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, foundValue{t, round, &left})
			}
			return left.Load() == 0
		}) {
			t.Fatal("there is nothing to poll inline")
		}
		l.waiting.Add(-1)
		if n := lowWater(t, l); n != 1 {
			t.Errorf("the kernel wakes the reader for %d bytes when no thread polls inline", n)
		}
	}
	if raised < 10 {
		t.Errorf("in %d of 20 rounds the kernel does not wake the reader", raised)
	}
}

// lowWater returns the number of bytes from which on the kernel wakes the reader of a link.
func lowWater(t *testing.T, l *link) int {
	t.Helper()
	n, err := unix.GetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT)
	if err != nil {
		t.Fatal(err)
	}
	return max(n, 1) // 0 means 1; it is the initial value of sockets from a listener for Multipath TCP
}

// foundValue is the Completion of an atomic that finds a value.
type foundValue struct {
	t    *testing.T
	want uint64
	left *atomic.Int32
}

// Complete implements fabric.Completion.
func (a foundValue) Complete(old uint64, err error) {
	if err != nil || old != a.want {
		a.t.Errorf("got %d, %v, want %d", old, err, a.want)
	}
	a.left.Add(-1)
}

// TestPollInlineEnds: PollInline returns when done returns true, when no byte moves, if there is no
// connection, and after the death of the peer.
func TestPollInlineEnds(t *testing.T) {
	w := newWorld(t, 3, 4096)
	never := func() bool { return false }
	w.transports[0].PollInline(1, time.Hour, never) // no connection
	w.transports[0].PollInline(0, time.Hour, never) // the process itself
	connect(t, w)
	w.transports[0].PollInline(1, time.Millisecond, never)
	turns := 0
	w.transports[0].PollInline(1, time.Hour, func() bool { turns++; return turns > 10 })
	go w.transports[1].peers.Load(0).abort()
	w.transports[0].PollInline(1, time.Hour, func() bool { return w.owners[0].LostCount(1) > 0 })
	if n := w.owners[0].LostCount(1); n != 1 {
		t.Errorf("the owner has learned %d times that the peer is dead, want once", n)
	}
	w.transports[0].PollInline(1, time.Millisecond, never) // the link has ended
}

// TestPollInlineWriters: at most one goroutine waits for room in a socket, however often threads poll inline.
func TestPollInlineWriters(t *testing.T) {
	const size = 32 << 20
	w := newWorld(t, 2, 4096)
	p := intrude(t, w, 1) // does not read
	p.expect(kindWelcome, statusOK)
	src := fabrictest.Pages(t, size)
	w.transports[0].Put(1, startPos, unsafe.Pointer(&src[0]), size, fabrictest.NewOutcome())
	for deadline := time.Now().Add(10 * time.Second); !w.transports[0].peers.Load(1).full.Load(); {
		if time.Now().After(deadline) {
			t.Fatal("the socket has room for all")
		}
		time.Sleep(time.Millisecond)
	}
	before := runtime.NumGoroutine()
	for range 1000 {
		w.transports[0].PollInline(1, time.Microsecond, func() bool { return false })
	}
	if n := runtime.NumGoroutine() - before; n > 3 {
		t.Errorf("%d goroutines more", n)
	}
	p.c.Close()
}
