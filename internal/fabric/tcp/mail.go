package tcp

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/fabric/mailbox"
)

// mail is the mailbox of this process in the hands of a reader that polls, which holds the lock of its
// link. So Withdraw waits for requests from the mailbox as for those of links.
type mail struct {
	box   *mailbox.Box // nil if there is none
	by    *Transport
	looks int
}

// mailLooks is how often a reader looks into the mailbox before it receives again, if there were requests
// in it. The next one is likely to be there sooner than a system call returns.
const mailLooks = 64

// openMail tells peers that the caller polls, until it calls shut.
func (t *Transport) openMail() mail {
	if t.cfg.Mailbox == nil {
		return mail{}
	}
	m := mail{box: t.cfg.Mailbox(), by: t, looks: 1}
	m.box.Open()
	return m
}

// shut ends what openMail began.
func (m *mail) shut() {
	if m.box != nil {
		m.box.Shut(m.by)
	}
}

// look carries out requests in the mailbox, and reports whether there were any.
func (m *mail) look() bool {
	if m.box == nil {
		return false
	}
	served := false
	for range m.looks {
		served = m.box.Serve(m.by) || served
	}
	if served {
		m.looks = mailLooks
	}
	return served
}

// Carry implements mailbox.Server. It checks a request as serveAtomic, beginPut and serveGet do.
func (t *Transport) Carry(r mailbox.Request, data unsafe.Pointer) (found uint64, ok bool) {
	if r.Kind == mailbox.Atomic {
		p, err := t.integer(r.Pos, r.Atomic)
		if err != nil {
			return 0, false
		}
		return r.Atomic.Apply(p), true
	}
	p, err := t.cfg.Owner.Resolve(r.Pos, r.Size)
	if err != nil {
		return 0, false
	}
	foreign := t.cfg.Owner.Foreign(r.Pos)
	switch {
	case r.Kind == mailbox.Get && foreign && !fabric.Readable(p, r.Size):
		return 0, false
	case r.Kind == mailbox.Get:
		fabric.MoveWords(data, p, r.Size, p)
	case foreign && !fabric.Writable(p, r.Size):
		return 0, false
	default:
		fabric.MoveWords(p, data, r.Size, p)
	}
	return 0, true
}

var _ mailbox.Server = (*Transport)(nil)
