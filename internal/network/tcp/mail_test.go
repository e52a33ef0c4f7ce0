package tcp

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/acptest/race"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/mailbox"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"golang.org/x/sys/unix"
)

func neverOver() bool { return false }

// mailTo is the access of member 0 of a world to the mailbox of member 1.
type mailTo struct {
	*world
	t      *testing.T
	sender *mailbox.Sender
}

func newMailTo(t *testing.T, budget func(int) time.Duration) mailTo {
	w := newPollingWorld(t, 2, fabrictest.MemorySize, budget)
	return mailTo{w, t, mailbox.NewSender(&w.boxes[1], 0)}
}

// wake makes the agent of member 1 poll, if it may.
func (m mailTo) wake() {
	m.t.Helper()
	o := fabrictest.NewOutcome()
	m.transports[0].Atomic(1, startPos, fabric.Atomic{Op: fabric.OpOr, Width: 8}, o)
	o.Must(m.t)
}

// awake waits until the agent polls.
func (m mailTo) awake() {
	m.t.Helper()
	for limit := time.Now().Add(time.Minute); !m.sender.Open(mailbox.Atomic); {
		if m.wake(); time.Now().After(limit) {
			m.t.Fatal("the agent does not poll")
		}
	}
}

// post posts a request until it is carried out.
func (m mailTo) post(r mailbox.Request, local unsafe.Pointer) uint64 {
	m.t.Helper()
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); {
		m.awake()
		if found, ok := m.sender.Post(&r, local, neverOver); ok {
			return found
		}
	}
	m.t.Fatalf("%+v is not carried out", r)
	return 0
}

func add8(pos, n uint64) mailbox.Request {
	return mailbox.Request{Kind: mailbox.Atomic, Pos: pos, Atomic: fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: n}}
}

// TestMailbox: a polling agent carries out requests in the mailbox, and requests of the link between them.
func TestMailbox(t *testing.T) {
	m := newMailTo(t, func(int) time.Duration { return time.Hour })
	const rounds = 30
	for i := range uint64(rounds) {
		if found := m.post(add8(startPos, 1), nil); found != 2*i {
			t.Fatalf("round %d: found %d", i, found)
		}
		o := fabrictest.NewOutcome()
		m.transports[0].Atomic(1, startPos, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, o)
		o.Must(t)
		value := i
		m.post(mailbox.Request{Kind: mailbox.Put, Pos: startPos + 8, Size: 8}, unsafe.Pointer(&value))
		value = ^value
		m.post(mailbox.Request{Kind: mailbox.Get, Pos: startPos + 8, Size: 8}, unsafe.Pointer(&value))
		if value != i {
			t.Fatalf("round %d: got %d", i, value)
		}
	}
}

// TestMailboxRefuses: the agent refuses the same requests in the mailbox as on links, and changes nothing.
func TestMailboxRefuses(t *testing.T) {
	m := newMailTo(t, func(int) time.Duration { return time.Hour })
	memory := m.owners[1].Memory
	end := startPos + uint64(len(memory))
	value := ^uint64(0)
	bad := []mailbox.Request{
		add8(end, 1), add8(end-4, 1), add8(startPos+4, 1), add8(0, 1), add8(^uint64(7), 1),
		{Kind: mailbox.Atomic, Pos: startPos, Atomic: fabric.Atomic{Op: fabric.OpXor + 1, Width: 8}},
		{Kind: mailbox.Atomic, Pos: startPos, Atomic: fabric.Atomic{Op: fabric.OpAdd, Width: 3}},
		{Kind: mailbox.Put, Pos: end - 4, Size: 8}, {Kind: mailbox.Put, Pos: ^uint64(0), Size: 8},
		{Kind: mailbox.Get, Pos: startPos - 1, Size: 8}, {Kind: 77, Pos: startPos, Size: 8},
	}
	for _, r := range bad {
		m.awake()
		if _, ok := m.sender.Post(&r, unsafe.Pointer(&value), neverOver); ok {
			t.Errorf("%+v is carried out", r)
		}
	}
	for i, b := range memory {
		if b != 0 {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
}

// TestMailboxUnmapped: a request for memory that the program has unmapped does not end the process.
func TestMailboxUnmapped(t *testing.T) {
	m := newMailTo(t, func(int) time.Duration { return time.Hour })
	m.owners[1].Program = true
	m.post(add8(startPos, 1), nil)
	memory := m.owners[1].Memory
	if err := unix.Mprotect(memory[4096:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	value := uint64(1)
	for _, r := range []mailbox.Request{
		add8(startPos+4096, 1), {Kind: mailbox.Put, Pos: startPos + 4096 - 4, Size: 8}, {Kind: mailbox.Get, Pos: startPos + 4096 + 8, Size: 8},
	} {
		m.awake()
		if _, ok := m.sender.Post(&r, unsafe.Pointer(&value), neverOver); ok {
			t.Errorf("%+v is carried out", r)
		}
	}
	if found := m.post(add8(startPos, 1), nil); found != 1 {
		t.Errorf("found %d", found)
	}
}

// TestMailboxUnmappedLater: the same for a page that the agent has used before, when it was mapped.
func TestMailboxUnmappedLater(t *testing.T) {
	m := newMailTo(t, func(int) time.Duration { return time.Hour })
	m.owners[1].Program = true
	const other = startPos + 4096
	value := uint64(1)
	requests := []mailbox.Request{{Kind: mailbox.Put, Pos: other, Size: 8}, {Kind: mailbox.Get, Pos: other, Size: 8}}
	if !race.Enabled { // atomics are functions of the race detector, which do not survive a fault
		requests = append(requests, add8(other, 1))
	}
	for _, protection := range []int{unix.PROT_NONE, unix.PROT_READ} {
		for range 3 {
			m.post(add8(other, 1), nil)
		}
		page := m.owners[1].Memory[4096:8192]
		if err := unix.Mprotect(page, protection); err != nil {
			t.Fatal(err)
		}
		for range 2 * pageUses {
			for _, r := range requests {
				m.awake()
				readable := r.Kind == mailbox.Get && protection == unix.PROT_READ
				if _, ok := m.sender.Post(&r, unsafe.Pointer(&value), neverOver); ok && !readable {
					t.Fatalf("%+v is carried out", r)
				}
			}
		}
		if err := unix.Mprotect(page, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			t.Fatal(err)
		}
	}
	if found := m.post(add8(other, 1), nil); found != 6 {
		t.Errorf("found %d, expected 6", found)
	}
}

// TestMailboxUncaught: if the Go runtime does not handle faults, the agent queries the kernel for each
// request.
func TestMailboxUncaught(t *testing.T) {
	m := newMailTo(t, func(int) time.Duration { return time.Hour })
	m.owners[1].Program = true
	withoutHandler(t, unix.SIGSEGV)
	if fabric.TouchCatches() {
		t.Fatal("faults are caught without a handler")
	}
	const other = startPos + 4096
	for range 3 {
		m.post(add8(other, 1), nil)
	}
	if err := unix.Mprotect(m.owners[1].Memory[4096:8192], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	value := uint64(1)
	for _, r := range []mailbox.Request{add8(other, 1), {Kind: mailbox.Put, Pos: other, Size: 8}, {Kind: mailbox.Get, Pos: other, Size: 8}} {
		m.awake()
		if _, ok := m.sender.Post(&r, unsafe.Pointer(&value), neverOver); ok {
			t.Errorf("%+v is carried out", r)
		}
	}
}

// withoutHandler takes the handler of a signal away until the end of the test.
func withoutHandler(t *testing.T, s unix.Signal) {
	t.Helper()
	var none, before [8]uintptr // struct sigaction of the kernel
	change := func(to, old *[8]uintptr) {
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(old)), 8, 0, 0); errno != 0 {
			t.Fatal(errno)
		}
	}
	change(&none, &before)
	t.Cleanup(func() { change(&before, &none) })
}

// TestMailboxShut: an agent that may no longer poll stops checking the mailbox, and an agent with an
// unlimited budget ends with Close.
func TestMailboxShut(t *testing.T) {
	var forbidden atomic.Bool
	m := newMailTo(t, func(int) time.Duration {
		if forbidden.Load() {
			return 0
		}
		return time.Hour
	})
	m.post(add8(startPos, 1), nil)
	forbidden.Store(true)
	r := add8(startPos, 1)
	for limit := time.Now().Add(time.Minute); m.sender.Open(mailbox.Atomic); { // it sees that after a request
		m.sender.Post(&r, nil, neverOver)
		if time.Now().After(limit) {
			t.Fatal("the agent polls on")
		}
	}
}

// TestMailboxWithdraw: Withdraw does not wait until a polling agent has no more requests, and the agent
// continues to poll afterwards.
func TestMailboxWithdraw(t *testing.T) {
	m := newMailTo(t, func(int) time.Duration { return time.Hour })
	m.post(add8(startPos, 1), nil)
	for range 10 {
		if err := m.transports[1].Withdraw(func(unsafe.Pointer, uint64) bool { return false }, nil); err != nil {
			t.Fatal(err)
		}
		m.post(add8(startPos, 1), nil)
	}
}
