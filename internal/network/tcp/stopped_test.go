package tcp

import (
	"errors"
	"io"
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// Processes of a test cannot be stopped one by one. A stopped process is one that does nothing while its
// kernel answers. So tests replace it by a connection that is not read, and by a socket that listens without
// a transport.

// stopTime is how long peers of tests are stopped: longer than every limit.
const stopTime = 30 * 100 * time.Millisecond

// TestStoppedWithTraffic stops a peer while more bytes are in flight in both directions than sockets hold.
// The peer does not count as dead, and continues where it stopped.
func TestStoppedWithTraffic(t *testing.T) {
	const size = 16 << 20
	w := newWorld(t, 2, size)
	p := intrude(t, w, 1)
	p.expect(kindWelcome, statusOK)
	scratch := fabrictest.Pages(t, size)
	for i := range scratch {
		scratch[i] = byte(i * 7)
	}
	put := fabrictest.NewOutcome()
	w.transports[0].Put(1, startPos, unsafe.Pointer(&scratch[0]), size, put)
	p.send(header{kind: kindGet, id: 9, pos: startPos, size: size}, nil)

	select {
	case err := <-w.owners[0].Lost:
		t.Fatalf("a stopped peer is taken for dead: %v", err)
	case <-time.After(stopTime):
	}

	if err := p.c.SetDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	h := p.expect(kindPut, 0)
	got := make([]byte, size)
	if _, err := io.ReadFull(p.c, got); err != nil {
		t.Fatalf("after the stop: %v", err)
	}
	for i := range got {
		if got[i] != byte(i*7) {
			t.Fatalf("byte %d has arrived as %d", i, got[i])
		}
	}
	p.send(header{kind: kindReply, id: h.id}, nil)
	put.Must(t)
	if h := p.expect(kindData, 0); h.id != 9 || h.size != size {
		t.Errorf("the get is answered with %+v", h)
	}
	if _, err := io.ReadFull(p.c, got); err != nil {
		t.Fatalf("the answer to the get: %v", err)
	}
}

// sleeper is a member that is stopped before its agent has begun to serve.
type sleeper struct {
	listener *endpoint.Listener
	owner    *fabrictest.Owner
}

// newSleepers returns member 0, which runs, and a stopped member 1.
func newSleepers(t *testing.T, over <-chan struct{}) (*Transport, *fabrictest.Owner, *sleeper) {
	t.Helper()
	var listeners []*endpoint.Listener
	for range 2 {
		l := listen(t)
		t.Cleanup(func() { l.Close() })
		listeners = append(listeners, l)
	}
	owner := fabrictest.NewOwner(t, startPos, 4096)
	f := New(listeners[0], Config{
		Self: 0, Size: 2, Local: true, Auth: word, Owner: owner, Limits: brief, Over: over,
		Addrs: func(int) []netip.AddrPort { return []netip.AddrPort{listeners[1].Addrs()[0]} },
	})
	owner.Use(f)
	f.Serve()
	return f, owner, &sleeper{listeners[1], fabrictest.NewOwner(t, startPos, 4096)}
}

// wake lets the member continue. The member is closed when the test ends.
func (s *sleeper) wake(t *testing.T) {
	f := New(s.listener, Config{
		Self: 1, Size: 2, Local: true, Auth: word, Owner: s.owner, Limits: brief,
		Addrs: func(int) []netip.AddrPort { return nil },
	})
	s.owner.Use(f)
	f.Serve()
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestStoppedAtFirstContact makes contact with a peer that is stopped.
func TestStoppedAtFirstContact(t *testing.T) {
	f, owner, peer := newSleepers(t, nil)
	o := fabrictest.NewOutcome()
	f.Put(1, startPos, unsafe.Pointer(&owner.Memory[0]), 8, o)
	select {
	case err := <-owner.Lost:
		t.Fatalf("a stopped peer is taken for dead: %v", err)
	case <-time.After(stopTime):
	}
	peer.wake(t)
	o.Must(t)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestStoppedAtClose closes a transport with a message for a peer that is stopped. The peer gets the message
// when it continues.
func TestStoppedAtClose(t *testing.T) {
	f, owner, peer := newSleepers(t, nil)
	if err := f.Notify(1, 0x4301, 3, 4); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- f.Close() }()
	select {
	case err := <-closed:
		t.Fatalf("Close has not waited for a peer that is stopped: %v", err)
	case <-time.After(2 * leaveTime):
	}
	peer.wake(t)
	if n := <-peer.owner.Notes; n != (fabrictest.Note{From: 0, Notice: 0x4301, Arg: 3, Value: 4}) {
		t.Errorf("got %+v", n)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if owner.LostCount(1) != 0 {
		t.Error("PeerLost was called")
	}
}

// TestOverAtClose ends the run while Close waits for a peer that is stopped.
func TestOverAtClose(t *testing.T) {
	over := make(chan struct{})
	f, owner, _ := newSleepers(t, over)
	o := fabrictest.NewOutcome()
	f.Put(1, startPos, unsafe.Pointer(&owner.Memory[0]), 8, o)
	if err := f.Notify(1, 0x4301, 3, 4); err != nil {
		t.Fatal(err)
	}
	close(over)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrClosed) {
		t.Errorf("operation: %v, want ErrClosed", err)
	}
}
