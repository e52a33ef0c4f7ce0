package node

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// ask sends a request for a page to its owner, whichever that is, and returns the answer and the bytes behind it, of which there is room
// for some. Blocks for a round trip for each owner that has given the page away.
func (n *Node) ask(e *entry, r request, data []byte, room int64) (answer, []byte, error) {
	r.base, r.page = e.space.base, e.page
	message := append(r.append(make([]byte, 0, requestHead+len(data))), data...)
	reply := make([]byte, answerHead+room)
	var wait backOff
	for {
		to := n.target(e)
		if e.space.ended.Load() {
			return answer{}, nil, spaceError(r.base)
		}
		size, err := n.callFor(to, opPage, message, reply, e.asking(to))
		if fabric.IsGone(err) && e.lose(to) {
			continue
		}
		if fabric.IsGone(err) {
			err = wait.pause(n) // the home has left: the next one is about to be known
			if err == nil {
				continue
			}
		}
		if err != nil {
			return answer{}, nil, fmt.Errorf("page %d of the space at %#x: %w", r.page, r.base, err)
		}
		a, bytes, err := decodeAnswer(reply[:size])
		if err != nil {
			return answer{}, nil, err
		}
		switch a.status {
		case elsewhere:
			n.follow(e, &a)
			continue
		case again:
			n.follow(e, &a)
			if err := wait.pause(n); err != nil {
				return answer{}, nil, err
			}
			continue
		case noSpace:
			return answer{}, nil, spaceError(r.base)
		case noMemory:
			return answer{}, nil, fmt.Errorf("process %d: %w", to, n.explain(heapview.ErrFull))
		case crowded:
			return answer{}, nil, fmt.Errorf("%w: %d", errCrowded, maxHolders)
		case done, lent:
			n.meet(e, &a)
		}
		return a, bytes, nil
	}
}

// follow notes the owner that another process has named, or the home.
func (n *Node) follow(e *entry, a *answer) {
	if a.generation > 0 {
		e.learn(int(a.owner), a.generation)
		return
	}
	n.shards.set(e.shard(), int(a.owner), uint32(a.version))
}

// meet notes the owner that has answered. If it is on this host, the process reaches the bytes itself from now on.
func (n *Node) meet(e *entry, a *answer) {
	e.learn(int(a.owner), a.generation)
	if a.recordAt == 0 || e.near.Load() != nil {
		return
	}
	view := n.mem.HeapView(int(a.owner))
	if view == nil {
		return
	}
	record, err := heapview.At[record](view, a.recordAt)
	if err != nil {
		return
	}
	if bytes, err := view.Bytes(a.bytesAt, uint64(e.size())); err == nil {
		e.near.CompareAndSwap(nil, &near{record, a.recordUse, bytes})
	}
}

// borrowed reads b from a page that its owner lends to this process, and ends the loan.
func (n *Node) borrowed(e *entry, a *answer, at int64, b []byte) error {
	err := n.borrow(int(a.owner), b, a.bytesAt+uint64(at))
	n.count(int(a.owner), 0)
	if lost := n.p.Notify(int(a.owner), noticeEnd, 0, a.loan); err == nil {
		err = lost
	}
	return err
}

// endChange ends a loan for a change or for taking a page, and returns the answer to the request, of which there is room for some bytes.
func (n *Node) endChange(e *entry, a *answer, room int64) (answer, []byte, error) {
	reply := make([]byte, answerHead+room)
	request := binary.LittleEndian.AppendUint64(nil, a.loan)
	size, err := n.callFor(int(a.owner), opEnd, request, reply, e.reason(activity.Access, int(a.owner)))
	if err != nil {
		return answer{}, nil, err
	}
	end, bytes, err := decodeAnswer(reply[:size])
	if err == nil && end.status == noSpace {
		err = spaceError(e.space.base)
	}
	return end, bytes, err
}

// changeLent makes a change whose bytes do not travel in messages, on a page that its owner lends to this process.
func (n *Node) changeLent(e *entry, a *answer, at, size int64, c *change) error {
	there := a.bytesAt + uint64(at)
	var err error
	if c.kind == store {
		err = n.store(int(a.owner), there, c.in)
	} else {
		err = n.operate(int(a.owner), there, size, c)
	}
	if _, _, end := n.endChange(e, a, 0); err == nil {
		err = end
	}
	return err
}

// operate carries out an operation in this process on bytes of an owner.
func (n *Node) operate(owner int, there uint64, size int64, c *change) error {
	b := make([]byte, size)
	if err := n.borrow(owner, b, there); err != nil {
		return err
	}
	if c.kind == function {
		(*n.function.Load())(b, c.in, c.out, c.tag)
	} else {
		c.apply(b)
	}
	return n.store(owner, there, b)
}

// put lets the owner make a change.
func (n *Node) put(e *entry, at, size int64, c *change) error {
	r := c.request(page.Write, at, size)
	a, bytes, err := n.ask(e, r, c.data(&r), int64(r.room))
	if err != nil {
		return err
	}
	return n.changed(e, &a, bytes, at, size, c)
}

// changed takes the answer to a change that the owner makes.
func (n *Node) changed(e *entry, a *answer, bytes []byte, at, size int64, c *change) error {
	switch a.status {
	case done:
		copy(c.out, bytes)
		return nil
	case lent:
		return n.changeLent(e, a, at, size, c)
	}
	return errMalformed
}

// request returns the request for a change, with its flags.
func (c *change) request(kind page.Kind, at, size int64) request {
	r := request{kind: kind, at: at, size: size, do: c.kind, op: c.op, tag: c.tag}
	if len(c.in) > smallMax || len(c.out) > smallMax {
		r.flags |= flagApart
	} else {
		r.room = uint32(len(c.out))
	}
	return r
}

// data returns the bytes that travel in the request.
func (c *change) data(r *request) []byte {
	if r.has(flagApart) {
		return nil
	}
	return c.in
}
