package node

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// loan is a page of this process that a long request uses.
type loan struct {
	entry   *entry
	own     *owned
	pending *pending
}

// lend lets a long request use the bytes. The caller holds the locks of the entry and of its record.
func (n *Node) lend(o *outbox, e *entry, a page.Action) {
	own := e.own
	p := own.pending[a.Request.ID]
	own.loans++
	p.lent = true
	if a.Request.Kind == page.Write && p.change.kind == function && !p.r.has(flagApart) {
		go n.run(e, own, p)
		return
	}
	id := n.addLoan(&loan{e, own, p})
	n.conclude(o, e, p, lent, answer{version: a.Version, served: a.Request.Kind, loan: id}, 0)
}

// addLoan returns the number of a loan.
func (n *Node) addLoan(l *loan) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lastLoan++
	n.loans[n.lastLoan] = l
	return n.lastLoan
}

// takeLoan returns a loan that a process ends, or nil if there is none with the number that ends so. The end of a read is a notice. The
// end of another loan has an answer, for which there is some room.
func (n *Node) takeLoan(from int, id uint64, notice bool, room int) *loan {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.loans[id]
	if l == nil || l.pending.request.From != from || l.pending.reads() != notice || room < l.pending.endRoom() {
		return nil
	}
	delete(n.loans, id)
	return l
}

// takeEnd ends a loan of bytes that were read.
func (n *Node) takeEnd(from int, _ uint32, id uint64) {
	if l := n.takeLoan(from, id, true, 0); l != nil {
		n.endLoan(l, nil, nil)
	}
}

// reads reports whether the request leaves the page as it is.
func (p *pending) reads() bool { return p.request.Kind == page.Get || p.request.Kind == page.Fetch }

// endRoom returns how much room the answer to the end of the request's loan needs.
func (p *pending) endRoom() int {
	switch p.request.Kind {
	case page.Write:
		return answerHead + int(p.r.room)
	case page.Take:
		return answerHead + holdersRoom
	}
	return 0
}

// serveEnd ends a loan for a change. The answer is that of the request.
func (n *Node) serveEnd(r fabric.Request) (int, error) {
	if len(r.Body) != 8 {
		return 0, errMalformed
	}
	l := n.takeLoan(r.From, binary.LittleEndian.Uint64(r.Body), false, len(r.Reply))
	if l == nil {
		return 0, errMalformed
	}
	n.endLoan(l, r.Reply, r.Later.Defer())
	return 0, nil
}

// endLoan ends the use of a page by a long request. reply and done are those of the end of a change.
func (n *Node) endLoan(l *loan, reply []byte, done fabric.Completion) {
	var o outbox
	defer func() { o.flush() }()
	e, own, p := l.entry, l.own, l.pending
	e.mu.Lock()
	defer e.mu.Unlock()
	own.loans--
	p.lent = false
	if done != nil {
		p.reply, p.done = reply, done
	}
	if e.own != own {
		// The space has ended.
		if own.loans == 0 {
			n.free(&own.block)
		}
		if done != nil {
			n.conclude(&o, e, p, noSpace, answer{}, 0)
		}
		return
	}
	if done == nil {
		delete(own.pending, p.request.ID)
	}
	n.perform(&o, e, own.machine.Ended(p.request))
}

// run runs the function of the program on the bytes that the page lends to it.
func (n *Node) run(e *entry, own *owned, p *pending) {
	if f := n.function.Load(); f != nil {
		(*f)(own.block.bytes[p.r.at:][:p.r.size:p.r.size], p.change.in, p.change.out, p.change.tag)
	}
	n.endLoan(&loan{e, own, p}, p.reply, p.done)
}
