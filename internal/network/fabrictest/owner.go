package fabrictest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// Pages returns n bytes of zeroed memory outside the Go heap, which the runtime
// does not move and the race detector does not watch. It is unmapped after the
// test.
func Pages(t testing.TB, n int) []byte {
	t.Helper()
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("mmap of %d bytes: %v", n, err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			t.Errorf("munmap: %v", err)
		}
	})
	return b
}

// Note is a message that an Owner got by Notify.
type Note struct {
	From   int
	Notice uint16
	Arg    uint32
	Value  uint64
}

// Deferred is a call that an Owner is to answer later.
type Deferred struct {
	From    int
	Request []byte // a copy
	Reply   []byte
	Done    fabric.Completion
}

// Owner implements fabric.Owner with one piece of published memory. It forwards
// copies with Put of the transport given to Use.
type Owner struct {
	Pos    uint64 // position of Memory[0]
	Memory []byte

	Program bool // Memory is the program's, which may unmap it; set before use

	via      atomic.Pointer[fabric.Transport]
	served   atomic.Uint64
	Notes    chan Note     // what Notify got
	Deferred chan Deferred // calls of service 2, which the test answers
	Lost     chan error    // what PeerLost got

	mu   sync.Mutex
	lost map[int]int
}

// NewOwner returns an owner that publishes n bytes from position pos on.
func NewOwner(t testing.TB, pos uint64, n int) *Owner { return OwnerOf(Pages(t, n), pos) }

// OwnerOf returns an owner that publishes memory from position pos on.
func OwnerOf(memory []byte, pos uint64) *Owner {
	return &Owner{
		Pos: pos, Memory: memory,
		Notes: make(chan Note, 1<<16), Deferred: make(chan Deferred, 1<<13), Lost: make(chan error, 1<<10), lost: make(map[int]int),
	}
}

// Use tells the owner the transport by which it forwards copies.
func (o *Owner) Use(f fabric.Transport) { o.via.Store(&f) }

// Resolve implements fabric.Memory.
func (o *Owner) Resolve(pos, n uint64) (unsafe.Pointer, error) {
	size := uint64(len(o.Memory))
	if pos < o.Pos || pos-o.Pos > size || n > size-(pos-o.Pos) {
		return nil, &fabric.RangeError{Pos: pos, Size: n}
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(o.Memory)), pos-o.Pos), nil
}

// Foreign implements fabric.Memory.
func (o *Owner) Foreign(uint64) bool { return o.Program }

// Forward implements fabric.Owner.
func (o *Owner) Forward(pos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	p, err := o.Resolve(pos, n)
	if err != nil {
		done.Complete(0, err)
		return
	}
	via := o.via.Load()
	if via == nil {
		done.Complete(0, errors.New("owner has no transport"))
		return
	}
	(*via).Put(dst, dstPos, p, n, done)
}

// Serve implements fabric.Owner: service 1 answers with the request backwards, as much
// of it as there is room for; service 2 is answered by the test; other services are errors.
func (o *Owner) Serve(r fabric.Request) (int, error) {
	switch r.Service {
	case 1:
		o.served.Add(1)
		n := min(len(r.Body), len(r.Reply))
		for i := range n {
			r.Reply[i] = r.Body[len(r.Body)-1-i]
		}
		return n, nil
	case 2:
		o.Deferred <- Deferred{From: r.From, Request: bytes.Clone(r.Body), Reply: r.Reply, Done: r.Later.Defer()}
		return 0, nil
	}
	return 0, fmt.Errorf("no service %d", r.Service)
}

// Served returns how many calls of service 1 there were.
func (o *Owner) Served() int { return int(o.served.Load()) }

// Notify implements fabric.Owner.
func (o *Owner) Notify(from int, notice uint16, arg uint32, value uint64) {
	o.Notes <- Note{from, notice, arg, value}
}

// PeerLost implements fabric.Owner.
func (o *Owner) PeerLost(peer int, err error) {
	o.mu.Lock()
	o.lost[peer]++
	o.mu.Unlock()
	o.Lost <- err
}

// LostCount returns how often PeerLost was called for peer.
func (o *Owner) LostCount(peer int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lost[peer]
}
