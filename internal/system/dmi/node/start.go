package node

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/address"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// StartRead starts Read, whose outcome f gets, and reports whether it has. The caller leaves b alone until it has ended. Reads of a few bytes at
// their owners are messages that travel together if there are many, and no goroutine waits for them. Other reads would block: they are left to the
// caller. Does not block.
func (n *Node) StartRead(f *Future, addr int64, b []byte, mode Mode) bool {
	return mode == Get && n.startRead(f, addr, b)
}

// StartWrite starts Write, as StartRead does in the other direction. The caller leaves b as it is until it has ended. Does not block.
func (n *Node) StartWrite(f *Future, addr int64, b []byte, mode Mode) bool {
	return mode == Put && n.startWrite(f, addr, b)
}

// startRead starts a read at the owner if that takes one message, or reads bytes that lie on this host. It reports whether it has.
func (n *Node) startRead(f *Future, addr int64, b []byte) bool {
	p, ok := n.enterPart(addr, b)
	if !ok {
		return false
	}
	read, err := n.readHere(p)
	if read || err != nil {
		n.users.Leave()
		f.End(err)
		return true
	}
	return n.startShort(f, p, request{kind: page.Get, at: p.at, size: int64(len(b))}, nil, len(b))
}

// startWrite is startRead for a write.
func (n *Node) startWrite(f *Future, addr int64, b []byte) bool {
	p, ok := n.enterPart(addr, b)
	if !ok {
		return false
	}
	c := &change{kind: store, in: b}
	changed, err := n.changeHere(p.entry, p.at, int64(len(b)), c)
	if changed || err != nil {
		n.users.Leave()
		f.End(err)
		return true
	}
	return n.startShort(f, p, c.request(page.Write, p.at, int64(len(b))), b, 0)
}

// enterPart returns the part of a range that lies in one page of a space that this process knows, and has few bytes. If it returns true, the
// caller calls n.users.Leave.
func (n *Node) enterPart(addr int64, b []byte) (part, bool) {
	base, offset, ok := address.Split(addr)
	if !ok || len(b) == 0 || len(b) > smallMax || n.users.Enter() != nil {
		return part{}, false
	}
	if s := n.loaded(base); s != nil && int64(len(b)) <= s.size-offset {
		if at := offset % s.pageSize; int64(len(b)) <= s.pageSize-at {
			return part{entry: s.entry(offset / s.pageSize), at: at, b: b}, true
		}
	}
	n.users.Leave()
	return part{}, false
}

// startShort sends a request with some bytes that the owner of the page answers at once, with room for the bytes of a read. It reports whether
// it has; otherwise it calls n.users.Leave. It sends none if this process is the home of a page without a known owner, or has just become its owner.
func (n *Node) startShort(f *Future, p part, r request, data []byte, room int) bool {
	to := n.target(p.entry)
	if to == n.self || p.space.ended.Load() {
		n.users.Leave()
		return false
	}
	r.base, r.page = p.space.base, p.page
	r.flags |= flagAtOnce
	message := append(r.append(make([]byte, 0, requestHead+len(data))), data...)
	x := &short{future: f, part: p, kind: r.kind, reply: make([]byte, answerHead+room)}
	n.count(to, len(message)+len(x.reply))
	n.p.Start(to, opPage, message, x.reply, x)
	return true
}

// short is an access that one message carries out. It implements fabric.Batched.
type short struct {
	future *Future
	part   part
	kind   page.Kind // Get or Write
	reply  []byte

	ended bool // set by CompleteAll, with err
	err   error
}

var _ fabric.Batched = (*short)(nil)

// Batch implements fabric.Batched.
func (x *short) Batch() fabric.Batch { return (*shorts)(x.future.node) }

// Complete implements fabric.Completion.
func (x *short) Complete(size uint64, err error) {
	(*shorts)(x.future.node).CompleteAll([]fabric.Outcome{{Done: x, Old: size, Err: err}})
}

// shorts is a Node of which several short accesses end.
type shorts Node

// CompleteAll implements fabric.Batch.
func (s *shorts) CompleteAll(outcomes []fabric.Outcome) {
	for _, o := range outcomes {
		x := o.Done.(*short)
		if x.ended, x.err = x.outcome(o.Old, o.Err); !x.ended {
			go x.repeat()
		}
	}
	s.p.Cond.Lock()
	defer s.p.Cond.Unlock()
	for _, o := range outcomes {
		if x := o.Done.(*short); x.ended {
			x.future.end(x.err)
			s.users.Leave()
		}
	}
	s.p.Cond.Broadcast()
}

// outcome takes the answer. It reports whether the access has ended, and its error.
func (x *short) outcome(size uint64, err error) (ended bool, _ error) {
	if err != nil {
		// A process that leaves closes its connections, perhaps before this one knows of it. If it has died, the repetition fails.
		return !fabric.IsGone(err) && !errors.Is(err, fabric.ErrPeerDead), fmt.Errorf("page %d of the space at %#x: %w", x.part.page, x.part.space.base, err)
	}
	a, bytes, err := decodeAnswer(x.reply[:size])
	if err != nil || a.status != done {
		return err != nil, err
	}
	if x.kind == page.Get {
		if len(bytes) != len(x.part.b) {
			return true, errMalformed
		}
		if err := fabric.Touch(func() { copy(x.part.b, bytes) }); err != nil {
			return true, err
		}
	}
	x.future.node.meet(x.part.entry, &a)
	return true, nil
}

// repeat makes the access again, in the way that waits: the page has no owner yet, has moved, or cannot be used now.
func (x *short) repeat() {
	n, p := x.future.node, x.part
	var err error
	// So few bytes are not lent, so nothing of other processes is kept if the memory of the program is not there.
	fault := fabric.Touch(func() {
		if x.kind == page.Get {
			err = n.read(p, Get)
		} else {
			err = n.change(p.entry, p.at, int64(len(p.b)), &change{kind: store, in: p.b}, Put)
		}
	})
	x.future.End(cmp.Or(fault, err))
	n.users.Leave()
}
