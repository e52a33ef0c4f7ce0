package tcp

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/mailbox"
)

// mail is the access of a polling reader to the mailbox of this process. The reader holds the lock of its
// link, so Withdraw waits for requests from the mailbox as for requests of links.
type mail struct {
	box  *mailbox.Box // nil if there is none
	by   *link        // of the reader
	busy bool         // the last check has found requests
	once bool         // to check once each time, since another thread runs on this processor
	page page
}

// A check of the mailbox ends when no request comes for some time, or when the socket has to be read.
const (
	emptyLooks = 256  // empty checks in succession after a request; they take as long as a receive from the socket
	mostLooks  = 1024 // with requests among them
	calmLooks  = 16   // checks between two tests for goroutines that wait for the link
)

// openMail announces to peers that the reader polls, until shut is called. The caller holds in.lock.
func (l *link) openMail() *mail {
	m := &l.in.mail
	*m = mail{by: l}
	if l.transport.cfg.Mailbox != nil {
		m.box = l.transport.cfg.Mailbox()
		m.box.Open()
	}
	return m
}

// shut ends what openMail began.
func (m *mail) shut() {
	if m.box != nil {
		m.box.Shut(m)
	}
}

// look carries out requests in the mailbox, and reports whether there were any. If there were some the last
// time, the next request probably comes sooner than a system call returns.
func (m *mail) look() bool {
	if m.box == nil {
		return false
	}
	served, empty := false, 0
	for n := 1; n <= mostLooks && empty < emptyLooks; n++ {
		if m.box.Serve(m) {
			served, m.busy, empty = true, true, 0
		} else {
			empty++
		}
		if !m.busy || m.once || n%calmLooks == 0 && m.by.isWanted() {
			break
		}
	}
	m.busy = served
	return served
}

// Carry implements mailbox.Server. It checks a request as serveAtomic, beginPut and serveGet do.
func (m *mail) Carry(r mailbox.Request, data unsafe.Pointer) (found uint64, ok bool) {
	owner := m.by.transport.cfg.Owner
	var p unsafe.Pointer
	var err error
	n, write := r.Size, r.Kind != mailbox.Get
	if r.Kind == mailbox.Atomic {
		n = uint64(r.Atomic.Width)
		p, err = m.by.transport.published(r.Pos, r.Atomic)
	} else {
		p, err = owner.Resolve(r.Pos, n)
	}
	switch {
	case err != nil:
		return 0, false
	case !owner.Foreign(r.Pos):
		return carry(&r, p, data), true
	case !m.page.has(p, n, write):
		return 0, false
	}
	err = fabric.Touch(func() { found = carry(&r, p, data) })
	return found, err == nil
}

// carry carries out a request on memory at p. It returns the value that an atomic has found.
func carry(r *mailbox.Request, p, data unsafe.Pointer) uint64 {
	switch r.Kind {
	case mailbox.Atomic:
		return r.Atomic.Apply(p)
	case mailbox.Get:
		fabric.MoveWords(data, p, r.Size, p)
	default:
		fabric.MoveWords(p, data, r.Size, p)
	}
	return 0
}

var _ mailbox.Server = (*mail)(nil)

// page is a page of memory of the program that was mapped at the last query of the kernel. A query takes
// longer than a request. If the program unmaps the memory without unregistering it, one of the next requests
// faults, and Touch catches the fault. If Touch cannot catch faults, the kernel is queried for each request.
type page struct {
	number   uintptr
	writable bool
	uses     int // before the kernel is queried again
}

const pageSize, pageUses = 4096, 64

// has reports whether the n bytes at p can be read, and written if write is true.
func (g *page) has(p unsafe.Pointer, n uint64, write bool) bool {
	number := uintptr(p) / pageSize
	one := (uintptr(p)+uintptr(n)-1)/pageSize == number
	if one && g.uses > 0 && g.number == number && (g.writable || !write) {
		g.uses--
		return true
	}
	if write && !fabric.Writable(p, n) || !write && !fabric.Readable(p, n) {
		return false
	}
	if one {
		*g = page{number: number, writable: write}
		if fabric.TouchCatches() {
			g.uses = pageUses
		}
	}
	return true
}
