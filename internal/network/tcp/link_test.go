package tcp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// TestSimultaneousOpen lets two members make contact at the same moment, over and
// over. One connection remains, and every message and put arrives once, in order.
func TestSimultaneousOpen(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		w := newWorld(t, 2, 1<<16)
		start := make(chan struct{})
		errs := make(chan error)
		for from, f := range w.transports {
			scratch := fabrictest.Pages(t, 4096)
			go func() {
				<-start
				errs <- greet(f, 1-from, scratch)
			}()
		}
		close(start)
		for range 2 {
			if err := <-errs; err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		for to, o := range w.owners {
			for i := range uint64(10) {
				if n := <-o.Notes; n != (fabrictest.Note{From: 1 - to, Notice: 0x4301, Arg: 1<<31 + 5, Value: i}) {
					t.Fatalf("round %d: message %d at member %d is %+v", round, i, to, n)
				}
			}
			if got := binary.NativeEndian.Uint64(o.Memory[64:]); got != 10 {
				t.Fatalf("round %d: counter at member %d is %d, want 10", round, to, got)
			}
		}
		w.close(t)
		for i, o := range w.owners {
			if o.LostCount(1-i) != 0 || len(o.Notes) != 0 {
				t.Fatalf("round %d: member %d: lost %v, %d messages too many", round, i, <-o.Lost, len(o.Notes))
			}
		}
	}
}

// greet sends messages, puts and additions alternately and waits for all.
func greet(f *Transport, to int, scratch []byte) error {
	var outcomes []*fabrictest.Outcome
	for i := range uint64(10) {
		if err := f.Notify(to, 0x4301, 1<<31+5, i); err != nil {
			return err
		}
		put, add := fabrictest.NewOutcome(), fabrictest.NewOutcome()
		binary.NativeEndian.PutUint64(scratch[8*i:], i)
		f.Put(to, startPos+64, unsafe.Pointer(&scratch[8*i]), 8, put)
		f.Atomic(to, startPos+64, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, add)
		outcomes = append(outcomes, put, add)
	}
	for i, o := range outcomes {
		old, err := o.Wait()
		if err != nil {
			return err
		}
		if i%2 == 1 && old != uint64(i/2) {
			return fmt.Errorf("addition %d found %d", i/2, old)
		}
	}
	return nil
}

// TestNoticeKeepsItsPlace sends a notice behind more puts than may be under way. The last of them has been
// carried out when the notice arrives. The notice arrives even if the transport is closed at once.
func TestNoticeKeepsItsPlace(t *testing.T) {
	const puts = 4 * window
	for round := range 10 {
		w := newWorld(t, 2, 8*puts)
		scratch := fabrictest.Pages(t, 8)
		binary.NativeEndian.PutUint64(scratch, 7)
		f, closes := w.transports[0], round%2 == 1
		var last *fabrictest.Outcome
		for i := range puts {
			last = fabrictest.NewOutcome()
			f.Put(1, startPos+uint64(8*i), unsafe.Pointer(&scratch[0]), 8, last)
		}
		if err := f.Notify(1, 1, 0, 2); err != nil {
			t.Fatal(err)
		}
		if closes {
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if n := <-w.owners[1].Notes; n != (fabrictest.Note{From: 0, Notice: 1, Value: 2}) {
			t.Fatalf("round %d: got %+v", round, n)
		}
		if got := binary.NativeEndian.Uint64(w.owners[1].Memory[8*(puts-1):]); got != 7 && !closes {
			t.Fatalf("round %d: the notice has come before the last put", round)
		}
		if _, err := last.Wait(); err != nil && !(closes && errors.Is(err, fabric.ErrClosed)) {
			t.Fatalf("round %d: last put: %v", round, err)
		}
		w.close(t)
	}
}

// TestOneWayReach connects a pair of which only the higher member can dial. The lower
// one tries at the same time and fails.
func TestOneWayReach(t *testing.T) {
	for range 20 {
		w := newWorld(t, 2, 1<<16)
		l := listen(t)
		// No process listens at the address of member 1 that member 0 has. The connection of member 1
		// remains.
		dead := l.Addrs()[0]
		l.Close()
		release := make(chan struct{})
		w.transports[0].cfg.Addrs = func(int) []netip.AddrPort {
			<-release
			return []netip.AddrPort{dead}
		}
		scratch := fabrictest.Pages(t, 4096)
		there, here := fabrictest.NewOutcome(), fabrictest.NewOutcome()
		w.transports[0].Put(1, startPos, unsafe.Pointer(&scratch[0]), 8, there)
		w.transports[1].Put(0, startPos, unsafe.Pointer(&scratch[8]), 8, here)
		for standing := false; !standing; {
			l := w.transports[0].peers.Load(1)
			l.mu.Lock()
			standing = l.standby != nil
			l.mu.Unlock()
		}
		close(release)
		there.Must(t)
		here.Must(t)
		w.close(t)
	}
}

// tally counts completions and keeps the first error.
type tally struct {
	left sync.WaitGroup
	once sync.Once
	err  error
}

// Complete implements fabric.Completion.
func (c *tally) Complete(_ uint64, err error) {
	if err != nil {
		c.once.Do(func() { c.err = err })
	}
	c.left.Done()
}

// TestFullWindows keeps the window full in both directions, from several goroutines,
// so that requests arrive while the replies before them are still being counted.
func TestFullWindows(t *testing.T) {
	const requests, rounds = 20 * window, 40
	w := newWorld(t, 2, 1<<16)
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
	errs := make([]error, 4)
	var all sync.WaitGroup
	for i := range errs {
		from := i % 2
		all.Go(func() {
			for range rounds {
				c := new(tally)
				c.left.Add(requests)
				for k := range requests {
					w.transports[from].Atomic(1-from, startPos+uint64(k%1000)*8, add, c)
				}
				c.left.Wait()
				if c.err != nil {
					errs[i] = c.err
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestFlood lets both members of a pair issue far more than the window and the
// sockets hold, in both directions and without waiting.
func TestFlood(t *testing.T) {
	const long, requests = 1 << 20, 3 * window
	w := newWorld(t, 2, 2*long)
	errs := make(chan error)
	for from, f := range w.transports {
		scratch := fabrictest.Pages(t, 2*long)
		rng := rand.New(rand.NewPCG(7, uint64(from)))
		go func() {
			var outcomes []*fabrictest.Outcome
			for range requests {
				o := fabrictest.NewOutcome()
				outcomes = append(outcomes, o)
				n := uint64(1) << rng.IntN(17)
				switch rng.IntN(4) {
				case 0:
					f.Put(1-from, startPos, unsafe.Pointer(&scratch[0]), n, o)
				case 1:
					f.Get(1-from, startPos+long, unsafe.Pointer(&scratch[long]), n, o)
				case 2:
					f.Atomic(1-from, startPos, fabric.Atomic{Op: fabric.OpXor, Width: 4, Operand: 1}, o)
				default:
					f.Copy(1-from, startPos+long, from, startPos+long, n, o)
				}
			}
			for i, o := range outcomes {
				if _, err := o.Wait(); err != nil {
					errs <- fmt.Errorf("member %d, request %d: %w", from, i, err)
					return
				}
			}
			errs <- nil
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestHuge moves more bytes than any buffer holds, and more than 28 bits can count.
func TestHuge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 600 MiB of memory")
	}
	const n = 300 << 20
	w := newWorld(t, 2, n)
	scratch := fabrictest.Pages(t, n)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(scratch[i:], uint64(i)*0x9e3779b97f4a7c15)
	}
	o := fabrictest.NewOutcome()
	w.transports[0].Put(1, startPos, unsafe.Pointer(&scratch[0]), n, o)
	o.Must(t)
	clear(scratch)
	o = fabrictest.NewOutcome()
	w.transports[0].Get(1, startPos, unsafe.Pointer(&scratch[0]), n, o)
	o.Must(t)
	for i := 0; i < n; i += 8 {
		if got := binary.LittleEndian.Uint64(scratch[i:]); got != uint64(i)*0x9e3779b97f4a7c15 {
			t.Fatalf("byte %d has come back as %#x", i, got)
		}
	}
}

// TestLastMessage closes a transport right after the first contact with a peer, which
// must get the message, as at the end of a barrier.
func TestLastMessage(t *testing.T) {
	for range 50 {
		w := newWorld(t, 2, 4096)
		if err := w.transports[0].Notify(1, 0x4301, 3, 4); err != nil {
			t.Fatal(err)
		}
		if err := w.transports[0].Close(); err != nil {
			t.Fatal(err)
		}
		if n := <-w.owners[1].Notes; n != (fabrictest.Note{From: 0, Notice: 0x4301, Arg: 3, Value: 4}) {
			t.Fatalf("got %+v", n)
		}
		o := fabrictest.NewOutcome()
		w.transports[1].Put(0, startPos, unsafe.Pointer(&w.owners[1].Memory[0]), 8, o)
		if _, err := o.Wait(); !errors.Is(err, fabric.ErrPeerDead) {
			t.Fatalf("put to a member that has closed: %v, want ErrPeerDead", err)
		}
		if err := w.transports[0].Notify(1, 0x4301, 3, 4); !errors.Is(err, fabric.ErrClosed) {
			t.Fatalf("Notify after Close: %v, want ErrClosed", err)
		}
		w.close(t)
	}
}

// TestCloseWhileDialling closes a transport that waits for a peer which accepts
// connections and sends nothing.
func TestCloseWhileDialling(t *testing.T) {
	mute := make(chan net.Conn, 1)
	at := serve(t, func(c net.Conn) {
		mute <- c
		_, _ = c.Read(make([]byte, 1<<10)) // the password
		_, _ = c.Read(make([]byte, 1))     // until the caller hangs up
	})
	l := listen(t)
	owner := fabrictest.NewOwner(t, startPos, 4096)
	f := New(l, Config{
		Self: 0, Size: 2, Local: true, Auth: word, Owner: owner,
		Addrs: func(int) []netip.AddrPort { return []netip.AddrPort{at} },
	})
	f.Serve()
	o := fabrictest.NewOutcome()
	f.Put(1, startPos, unsafe.Pointer(&owner.Memory[0]), 8, o)
	<-mute
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrClosed) {
		t.Errorf("operation: %v, want ErrClosed", err)
	}
	if owner.LostCount(1) != 0 {
		t.Error("PeerLost was called by Close")
	}
}

// TestCall calls the owners of both members, with requests and answers of all lengths.
func TestCall(t *testing.T) {
	w := newWorld(t, 2, 1<<20)
	for peer := range 2 {
		for _, size := range [][2]int{{0, 0}, {0, 8}, {8, 0}, {1, 1}, {8, 8}, {9, 9}, {300, 5}, {5000, 5000}, {fabric.CallMax, fabric.CallMax}, {3, 100}} {
			request, reply := make([]byte, size[0]), make([]byte, size[1])
			for i := range request {
				request[i] = byte(i * 7)
			}
			o := fabrictest.NewOutcome()
			w.transports[0].Call(peer, 1, request, reply, o)
			n := int(o.Must(t))
			slices.Reverse(request)
			if n != min(size[0], size[1]) || !bytes.Equal(reply[:n], request[:n]) {
				t.Errorf("a call of %d bytes of member %d was answered with %d bytes, or wrong ones", size[0], peer, n)
			}
		}
		o := fabrictest.NewOutcome()
		w.transports[0].Call(peer, 1, make([]byte, fabric.CallMax+1), nil, o)
		if _, err := o.Wait(); !errors.Is(err, fabric.ErrInvalid) {
			t.Errorf("a call that is too long: %v", err)
		}
		o = fabrictest.NewOutcome()
		w.transports[0].Call(peer, 9, nil, nil, o)
		if _, err := o.Wait(); err == nil || !strings.Contains(err.Error(), "no service 9") {
			t.Errorf("a service that member %d does not have: %v", peer, err)
		}
	}
}
