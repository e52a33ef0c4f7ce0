package tcp

import (
	"errors"
	"math"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// errUnmapped says that the destination of a get did not exist when the bytes came.
var errUnmapped = errors.New("the destination is not mapped")

// begin handles the frame in.head: at once if no payload follows, otherwise it
// decides where the payload goes. An error ends the link. The caller holds in.lock.
func (l *link) begin() error {
	in := &l.in
	in.fault = nil
	if in.head.kind.request() {
		in.asked = true
		if l.owed.Add(1) > patience {
			return protocolError("more than %d requests under way", patience)
		}
	}
	switch in.head.kind {
	case kindPut:
		return l.beginPut()
	case kindGet:
		l.serveGet()
	case kindAtomic:
		l.serveAtomic()
	case kindCopy:
		l.serveCopy()
	case kindCall:
		if in.head.size > 0 {
			in.expect(in.head.size)
			return nil
		}
		l.serveCall(nil)
	case kindReply:
		if in.head.arg > 0 {
			in.expect(in.head.arg)
			return nil
		}
		return l.finish(nil)
	case kindData, kindAnswer:
		return l.beginData()
	case kindNotify:
		l.fab.cfg.Owner.Notify(l.peer, in.head.member, in.head.arg)
	case kindGoodbye:
		return errGoodbye
	default:
		return protocolError("frame of kind %d on an open connection", in.head.kind)
	}
	return nil
}

// arrived handles the frame in.head, whose payload has arrived or was thrown away.
func (l *link) arrived() error {
	switch l.in.head.kind {
	case kindPut:
		l.answer(0, l.in.fault)
		return nil
	case kindCall:
		l.serveCall(l.in.text)
		return nil
	case kindReply:
		return l.finish(remoteError(l.peer, &l.in.head, string(l.in.text)))
	default:
		return l.finish(l.in.fault)
	}
}

func (l *link) beginPut() error {
	in := &l.in
	p, err := l.fab.cfg.Owner.Resolve(in.head.pos, in.head.size)
	if err == nil {
		l.preserve(p, in.head.size)
	}
	if in.head.size > inlineMax {
		in.left, in.target, in.fault = in.head.size, p, err
		if err != nil {
			in.target = nil
		}
		return nil
	}
	if err == nil {
		store(p, in.head.arg, in.head.size)
	}
	l.answer(0, err)
	return nil
}

func (l *link) serveGet() {
	h := header{kind: kindData, id: l.in.head.id, size: l.in.head.size}
	p, err := l.fab.cfg.Owner.Resolve(l.in.head.pos, h.size)
	if err != nil {
		l.answer(0, err)
		return
	}
	if h.size <= inlineMax {
		h.arg = load(p, h.size)
	}
	l.reply(&h, p, true)
}

func (l *link) serveAtomic() {
	l.answer(l.fab.apply(l.in.head.pos, l.in.head.atomic(), l))
}

// apply performs a on memory of this process. by is the link that asks for it, or
// nil.
func (f *Fabric) apply(pos uint64, a fabric.Atomic, by *link) (uint64, error) {
	if !a.Valid(pos) {
		return 0, fabric.ErrInvalid
	}
	p, err := f.cfg.Owner.Resolve(pos, uint64(a.Width))
	if err != nil {
		return 0, err
	}
	if uintptr(p)%uintptr(a.Width) != 0 {
		return 0, fabric.ErrInvalid
	}
	if by != nil {
		by.preserve(p, uint64(a.Width))
	}
	return a.Apply(p), nil
}

// serveCall lets the owner do what the peer asks for.
func (l *link) serveCall(request []byte) {
	// The owner may change memory that replies to earlier gets are about to send.
	l.preserve(nil, math.MaxUint64)
	reply := make([]byte, l.in.head.arg)
	n, err := l.fab.cfg.Owner.Serve(l.in.head.code, request, reply)
	if err != nil {
		l.answer(0, err)
		return
	}
	h := header{kind: kindAnswer, id: l.in.head.id, size: uint64(n)}
	l.reply(&h, unsafe.Pointer(unsafe.SliceData(reply)), false)
}

func (l *link) serveCopy() {
	h := &l.in.head
	dst := int(h.member)
	if dst < 0 || dst >= l.fab.cfg.Size {
		l.answer(0, l.fab.noMember(dst))
		return
	}
	l.fab.cfg.Owner.Forward(h.pos, dst, h.arg, h.size, &forwarded{link: l, id: h.id, dst: dst})
}

// forwarded replies to a copy request when the owner has carried it out.
type forwarded struct {
	link *link
	id   uint64
	dst  int
}

// Complete implements fabric.Completion.
func (c *forwarded) Complete(_ uint64, err error) {
	c.link.conclude(c.id, c.dst, 0, err)
	c.link.kick()
}

// answer queues the reply to the request in.head.
func (l *link) answer(old uint64, err error) {
	l.conclude(l.in.head.id, -1, old, err)
}

func (l *link) conclude(id uint64, dst int, old uint64, err error) {
	h := header{kind: kindReply, id: id, pos: old}
	if err == nil {
		l.reply(&h, nil, false)
		return
	}
	text := report(&h, dst, err)
	l.reply(&h, unsafe.Pointer(unsafe.StringData(text)), false)
}

func (l *link) beginData() error {
	in := &l.in
	l.mu.Lock()
	op := l.ops.find(in.head.id)
	if op == nil || op.kind != in.head.kind || in.head.size > op.size || in.head.size < op.least() {
		l.mu.Unlock()
		return protocolError("%d bytes that nobody has asked for", in.head.size)
	}
	dst := op.dst
	l.mu.Unlock()
	if n := in.head.payload(); n > 0 {
		in.left, in.target = n, dst
		return nil
	}
	if in.head.kind == kindData {
		store(dst, in.head.arg, in.head.size)
	}
	return l.finish(nil)
}

// finish completes the operation to which the frame in.head is the outcome.
func (l *link) finish(err error) error {
	h := &l.in.head
	op, ok := l.settle(h.id)
	if !ok {
		return protocolError("reply %#x to no request", h.id)
	}
	var old uint64
	var violation error
	switch {
	case err != nil || h.kind == kindData:
	case h.kind == kindAnswer:
		old = h.size
	case status(h.code) != statusOK:
		err = remoteError(l.peer, h, "")
	case op.kind != kindReply:
		violation = protocolError("get or call answered without bytes")
		err = violation
	default:
		old = h.pos
	}
	op.done.Complete(old, err)
	return violation
}
