package gma

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/mailbox"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/router"
)

// mayMail reports whether a mailbox may carry out a: only if nothing is in flight, so that every order is
// satisfied.
func (e *Engine) mayMail(a *Access) bool { return a.Size <= mailbox.MaxBytes && e.table.Idle() }

// byMail carries out a by the mailbox of another rank and returns its handle, if mayMail reports that it may. If
// ok is false, nothing has been changed.
//
// a is no pointer, so that it stays on the stack.
func (e *Engine) byMail(a Access) (handle uint64, ok bool) {
	done, err := e.starter.mail(a, e.over)
	if err != nil {
		return e.mailFailed(a, err), true
	}
	if !done {
		return 0, false
	}
	return e.table.Next(), true
}

// mailFailed notes that Wait and Inquire are to return an error for a, and returns the handle of a.
func (e *Engine) mailFailed(a Access, err error) uint64 {
	err = e.onFail(&a, err) // as in finish
	e.cond.Lock()
	defer e.cond.Unlock()
	handle := e.table.Next()
	e.failures = append(e.failures, failure{handle, err})
	e.table.SetFailed(true)
	return handle
}

// isOver reports whether the run is over.
func (e *Engine) isOver() bool {
	e.cond.Lock()
	defer e.cond.Unlock()
	return e.cond.Over() != nil
}

func (r *routed) mail(a Access, over func() bool) (done bool, err error) {
	to := r.mailbox(&a)
	if to == nil {
		return false, nil
	}
	defer r.space.Leave(r.space.Enter())
	dst, derr := r.locate(a.Dst, a.Size)
	src, serr := r.locate(a.Src, a.Size)
	if derr != nil || serr != nil {
		return false, nil // the other path reports it
	}
	switch {
	case !a.IsCopy:
		return r.mailAtomic(to, &a, src, over)
	case dst.Addr == nil && src.Addr != nil:
		_, done = to.Post(&mailbox.Request{Kind: mailbox.Put, Pos: dst.Pos, Size: a.Size}, src.Addr, over)
	case src.Addr == nil && dst.Addr != nil:
		_, done = to.Post(&mailbox.Request{Kind: mailbox.Get, Pos: src.Pos, Size: a.Size}, dst.Addr, over)
	}
	if done && r.traffic != nil {
		self := int(atomic.LoadUint64(&r.table.Rank))
		r.traffic.AddCopy(self, maptable.RankOf(a.Dst), maptable.RankOf(a.Src), traffic.SHM, a.Size)
	}
	return done, nil
}

// mailbox returns the mailbox for a, of which one end is memory of this process, or nil.
func (r *routed) mailbox(a *Access) *mailbox.Sender {
	self, far := int(atomic.LoadUint64(&r.table.Rank)), maptable.RankOf(a.Src)
	kind := mailbox.Atomic
	if a.IsCopy {
		kind = mailbox.Get
	}
	switch dst := maptable.RankOf(a.Dst); {
	case far == self:
		far, kind = dst, mailbox.Put
	case dst != self:
		return nil
	}
	return r.router.Mailbox(r.member(far), kind)
}

// mailAtomic is mail for an atomic on the integer at a place, if that is not mapped.
func (r *routed) mailAtomic(to *mailbox.Sender, a *Access, at router.Location, over func() bool) (done bool, err error) {
	if at.Addr != nil {
		return false, nil
	}
	found, done := to.Post(&mailbox.Request{Kind: mailbox.Atomic, Pos: at.Pos, Atomic: a.Atomic}, nil, over)
	if !done {
		return false, nil
	}
	r.traffic.Add(at.Member, traffic.Atomic, traffic.SHM, a.Size)
	return true, r.deliver(a, found)
}
