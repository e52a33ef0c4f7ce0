package tcp

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"golang.org/x/sys/unix"
)

// shared is the fabric.Batch of a test. It counts how often it is called.
type shared struct{ calls atomic.Int32 }

// CompleteAll implements fabric.Batch.
func (s *shared) CompleteAll(outcomes []fabric.Outcome) {
	s.calls.Add(1)
	for _, o := range outcomes {
		o.Done.Complete(o.Old, o.Err)
	}
}

// sharing is an Outcome that is fabric.Batched.
type sharing struct {
	*fabrictest.Outcome
	batch *shared
}

// Batch implements fabric.Batched.
func (s sharing) Batch() fabric.Batch { return s.batch }

func (s *shared) outcome() sharing { return sharing{fabrictest.NewOutcome(), s} }

// queued returns how many frames of member 0 for member to wait when there is no writer.
func (w *world) queued(to int) int {
	l := w.transports[0].peers.Load(to)
	for {
		l.mu.Lock()
		writing, n := l.writing, l.out.n
		l.mu.Unlock()
		if !writing {
			return n
		}
		runtime.Gosched()
	}
}

// gatherer is member 0 of a world with a request in flight to member 2, an impostor, so that further requests
// are gathered.
type gatherer struct {
	*world
	*shared
	peer    *impostor
	under   header // the request under way
	scratch []byte
}

func newGatherer(t *testing.T) *gatherer {
	t.Helper()
	w := newWorld(t, 3, 1<<16)
	g := &gatherer{world: w, shared: new(shared), peer: intrude(t, w, 2), scratch: fabrictest.Pages(t, 1<<16)}
	g.peer.expect(kindWelcome, statusOK)
	g.put(8)
	g.under = g.peer.expect(kindPut, 0)
	g.gathered(t, 0) // and its writer has ended
	return g
}

// put issues a put of n bytes.
func (g *gatherer) put(n uint64) sharing {
	o := g.outcome()
	g.transports[0].Put(2, startPos, unsafe.Pointer(&g.scratch[0]), n, o)
	return o
}

// gathered checks that want requests wait.
func (g *gatherer) gathered(t *testing.T, want int) {
	t.Helper()
	if n := g.queued(2); n != want {
		t.Fatalf("%d requests wait, want %d", n, want)
	}
}

// arrive reads requests and their payloads.
func (g *gatherer) arrive(kinds ...kind) {
	g.peer.t.Helper()
	for _, k := range kinds {
		h, err := g.peer.read()
		if err != nil || h.kind != k {
			g.peer.t.Fatalf("got %+v, %v, want kind %d", h, err, k)
		}
		g.peer.payload(h.payload())
	}
}

// TestGather lets requests gather, and sends them in each way.
func TestGather(t *testing.T) {
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
	for name, send := range map[string]func(g *gatherer){
		"poll":      func(g *gatherer) { g.transports[0].Poll() },
		"flush":     func(g *gatherer) { g.transports[0].Flush() },
		"poll peer": func(g *gatherer) { g.transports[0].PollPeer(2) },
		"answer":    func(g *gatherer) { g.peer.send(header{kind: kindReply, id: g.under.id}, nil) },
		"notice":    func(g *gatherer) { g.peer.send(header{kind: kindNotify}, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGatherer(t)
			g.put(8)
			g.transports[0].Get(2, startPos, unsafe.Pointer(&g.scratch[0]), 100, g.outcome())
			g.transports[0].Atomic(2, startPos, add, g.outcome())
			g.transports[0].Call(2, 1, g.scratch[:50], nil, g.outcome())
			g.put(200)
			g.gathered(t, 5)
			send(g)
			g.arrive(kindPut, kindGet, kindAtomic, kindCall, kindPut)
			g.gathered(t, 0)
		})
	}
	for name, behind := range map[string]func(g *gatherer) kind{
		"a put that is not batched": func(g *gatherer) kind {
			g.transports[0].Put(2, startPos, unsafe.Pointer(&g.scratch[0]), 8, fabrictest.NewOutcome())
			return kindPut
		},
		"a call that is not batched": func(g *gatherer) kind {
			g.transports[0].Call(2, 1, nil, nil, fabrictest.NewOutcome())
			return kindCall
		},
		"copy": func(g *gatherer) kind {
			g.transports[0].Copy(2, startPos, 1, startPos, 8, g.outcome())
			return kindCopy
		},
		"long put": func(g *gatherer) kind {
			g.put(2 * gatherMax)
			return kindPut
		},
		"message": func(g *gatherer) kind {
			if err := g.transports[0].Notify(2, 1, 0, 1); err != nil {
				g.peer.t.Error(err)
			}
			return kindNotify
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGatherer(t)
			g.put(8)
			g.gathered(t, 1)
			k := behind(g)
			g.arrive(kindPut, k)
			g.gathered(t, 0)
		})
	}
}

// TestGatherBound issues requests of so many bytes that they are sent although nothing arrives.
func TestGatherBound(t *testing.T) {
	const most = gatherMax / headerSize
	g := newGatherer(t)
	for range most {
		g.put(8)
	}
	g.gathered(t, most)
	g.put(8)
	g.arrive(slices.Repeat([]kind{kindPut}, most+1)...)
	g.put(8)
	g.gathered(t, 1)
}

// TestNothingGathers: behind requests that the peer may answer late, no request is gathered.
func TestNothingGathers(t *testing.T) {
	w := newWorld(t, 3, 1<<16)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	f, scratch, s := w.transports[0], fabrictest.Pages(t, 4096), new(shared)
	f.Call(2, 1, nil, nil, fabrictest.NewOutcome())
	p.expect(kindCall, 0)
	f.Copy(2, startPos, 1, startPos, 8, s.outcome())
	p.expect(kindCopy, 0)
	f.Put(2, startPos, unsafe.Pointer(&scratch[0]), 8, s.outcome())
	p.expect(kindPut, 0)
}

// TestWithdrawGathered withdraws the source of a put that waits. The put fails, and nothing is sent.
func TestWithdrawGathered(t *testing.T) {
	g := newGatherer(t)
	bad := g.put(100)
	good := g.put(8)
	g.gathered(t, 2)
	g.transports[0].Withdraw(within(g.scratch), nil)
	if err := unix.Mprotect(g.scratch, unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	g.transports[0].Poll()
	if h := g.peer.expect(kindPut, 0); h.payload() != 0 {
		t.Errorf("%d bytes of withdrawn memory are sent", h.size)
	} else {
		g.peer.send(header{kind: kindReply, id: h.id}, nil)
	}
	g.peer.send(header{kind: kindReply, id: g.peer.expect(kindPut, 0).id}, nil)
	if _, err := bad.Wait(); !errors.Is(err, fabric.ErrGone) {
		t.Errorf("the put: %v, want ErrGone", err)
	}
	good.Must(t)
}

// TestGatheredDies ends the connection, or closes the transport, while requests wait.
func TestGatheredDies(t *testing.T) {
	for want, end := range map[error]func(g *gatherer){
		fabric.ErrPeerDead: func(g *gatherer) { g.peer.c.Close() },
		fabric.ErrClosed: func(g *gatherer) {
			go func() { // the peer sends goodbye, too
				for {
					h, err := g.peer.read()
					if err != nil || h.kind == kindGoodbye {
						g.peer.c.Close()
						return
					}
				}
			}()
			if err := g.transports[0].Close(); err != nil {
				g.peer.t.Error(err)
			}
		},
	} {
		g := newGatherer(t)
		first, second := g.put(8), g.put(8)
		g.gathered(t, 2)
		end(g)
		for _, o := range []sharing{first, second} {
			if _, err := o.Wait(); !errors.Is(err, want) {
				t.Errorf("a put that waited: %v, want %v", err, want)
			}
		}
	}
}

// TestManyOutcomes issues additions and gets of 8 bytes from several goroutines, far more than the
// window. Each goroutine finds its own values in order, and outcomes come together.
func TestManyOutcomes(t *testing.T) {
	const members, each = 4, 5 * window
	w := newWorld(t, 2, 1<<16)
	f := w.transports[0]
	batch := new(shared)
	var all sync.WaitGroup
	for member := range members {
		pos := startPos + uint64(member)*8
		scratch := fabrictest.Pages(t, 8*each)
		all.Go(func() {
			adds, gets := make([]sharing, each), make([]sharing, each)
			for i := range each {
				adds[i], gets[i] = batch.outcome(), batch.outcome()
				f.Atomic(1, pos, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 3}, adds[i])
				f.Get(1, pos, unsafe.Pointer(&scratch[8*i]), 8, gets[i])
			}
			f.Poll()
			for i := range each {
				old, err := adds[i].Wait()
				if err == nil {
					_, err = gets[i].Wait()
				}
				if got := binary.NativeEndian.Uint64(scratch[8*i:]); err != nil || old != uint64(3*i) || got != uint64(3*i+3) {
					t.Errorf("addition %d has found %d, the get %d: %v", i, old, got, err)
					return
				}
			}
		})
	}
	all.Wait()
	if calls := batch.calls.Load(); calls == 0 || calls > members*each {
		t.Errorf("%d outcomes in %d calls", 2*members*each, calls)
	}
}

// TestGetsInOrder gets bytes twice into the same memory, first a few and then more, and changes them in
// between. The bytes of the second get remain.
func TestGetsInOrder(t *testing.T) {
	const rounds = 500
	w := newWorld(t, 2, 1<<16)
	f, batch := w.transports[0], new(shared)
	src, dst := fabrictest.Pages(t, 8*rounds), fabrictest.Pages(t, 64*rounds)
	var outcomes []sharing
	begin := func() sharing {
		o := batch.outcome()
		outcomes = append(outcomes, o)
		return o
	}
	for i := range rounds {
		binary.NativeEndian.PutUint64(src[8*i:], uint64(i+1))
		f.Get(1, startPos, unsafe.Pointer(&dst[64*i]), 8, begin())
		f.Put(1, startPos, unsafe.Pointer(&src[8*i]), 8, begin())
		f.Get(1, startPos, unsafe.Pointer(&dst[64*i]), 64, begin())
	}
	f.Poll()
	for _, o := range outcomes {
		o.Must(t)
	}
	for i := range rounds {
		if got := binary.NativeEndian.Uint64(dst[64*i:]); got != uint64(i+1) {
			t.Fatalf("round %d: the gets have left %d", i, got)
		}
	}
}
