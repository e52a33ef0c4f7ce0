package tcp

import (
	"math"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// begin handles the frame in.head. If a payload follows, it only chooses the destination of the payload. An
// error ends the link. The caller holds in.lock.
func (l *link) begin() error {
	in := &l.in
	in.fault, in.foreign = nil, false
	if in.head.kind.request() {
		in.asked = true
		if l.owed.Add(1) > requestLimit {
			return protocolError("more than %d requests under way", requestLimit)
		}
	}
	switch in.head.kind {
	case kindPut:
		return l.beginPut()
	case kindGet:
		l.serveGet()
	case kindAtomic:
		return l.serveAtomic()
	case kindCopy:
		return l.serveCopy()
	case kindSeries:
		in.expect(in.head.size)
	case kindValues:
		return l.beginValues()
	case kindFault:
		return l.fault()
	case kindCall:
		if in.head.size > 0 {
			in.expect(in.head.size)
			return nil
		}
		return l.serveCall(nil)
	case kindReply:
		if n := in.head.payload(); n > 0 {
			in.expect(n)
			return nil
		}
		if in.head.succeeded() {
			return l.settleAll(nil)
		}
		return l.finish(nil)
	case kindData, kindAnswer:
		return l.beginData()
	case kindDeferred:
		return l.deferred()
	case kindNotify:
		l.tell()
		l.transport.cfg.Owner.Notify(l.peer, in.head.number(), in.head.member, in.head.arg)
	case kindGoodbye:
		return errGoodbye
	default:
		return protocolError("frame of kind %d on an open connection", in.head.kind)
	}
	return nil
}

// arrived handles the frame in.head, whose payload has arrived or was dropped.
func (l *link) arrived() error {
	switch l.in.head.kind {
	case kindPut:
		if l.in.head.whole() {
			return l.storeWords()
		}
		l.answer(0, l.in.fault)
		return nil
	case kindCall:
		return l.serveCall(l.in.text)
	case kindSeries:
		return l.serveSeries(l.in.text)
	case kindValues:
		return l.found(l.in.text)
	case kindReply:
		if l.in.head.succeeded() {
			return l.settleAll(l.in.text)
		}
		return l.finish(l.transport.remoteError(l.peer, &l.in.head, string(l.in.text)))
	case kindData:
		l.received(l.in.fault)
		return nil
	default:
		return l.finish(l.in.fault)
	}
}

func (l *link) beginPut() error {
	in := &l.in
	pos, n := in.head.pos, in.head.size
	if in.head.whole() && n > inlineMax {
		in.expect(n)
		return nil
	}
	in.foreign = l.transport.cfg.Owner.Foreign(pos)
	p, err := l.transport.cfg.Owner.Resolve(pos, n)
	if err == nil && n <= inlineMax && in.foreign && !fabric.Writable(p, n) {
		err = &fabric.RangeError{Pos: pos, Size: n}
	}
	if err == nil {
		if err := l.preserve(p, pos, n); err != nil {
			return err
		}
	}
	if n > inlineMax {
		in.left, in.target, in.fault = n, p, err
		if err != nil {
			in.target = nil
		}
		return nil
	}
	if err == nil {
		store(p, in.head.arg, n)
	}
	l.answer(0, err)
	return nil
}

func (l *link) serveGet() {
	pos, n := l.in.head.pos, l.in.head.size
	p, err := l.transport.cfg.Owner.Resolve(pos, n)
	if err == nil && n > inlineMax && !l.in.head.whole() {
		l.sendData(p, n, nil) // the writer detects whether it can be read
		return
	}
	if err == nil && l.transport.cfg.Owner.Foreign(pos) && !fabric.Readable(p, n) {
		err = &fabric.RangeError{Pos: pos, Size: n}
	}
	if err != nil {
		l.answer(0, err)
		return
	}
	if n > inlineMax {
		l.sendWords(p, n)
		return
	}
	l.answer(load(p, n), nil)
}

func (l *link) serveAtomic() error {
	a, pos := l.in.head.atomic(), l.in.head.pos
	p, err := l.transport.integer(pos, a)
	if err != nil {
		l.answer(0, err)
		return nil
	}
	if err := l.preserve(p, pos, uint64(a.Width)); err != nil {
		return err
	}
	l.answer(a.Apply(p), nil)
	return nil
}

// integer returns the address of the integer of this process that a is for, and checks that the memory is
// mapped.
func (t *Transport) integer(pos uint64, a fabric.Atomic) (unsafe.Pointer, error) {
	p, err := t.published(pos, a)
	if err == nil && t.cfg.Owner.Foreign(pos) && !fabric.Writable(p, uint64(a.Width)) {
		err = &fabric.RangeError{Pos: pos, Size: uint64(a.Width)}
	}
	return p, err
}

// published is integer without the check whether the program has unmapped the memory.
func (t *Transport) published(pos uint64, a fabric.Atomic) (unsafe.Pointer, error) {
	if !a.Valid(pos) {
		return nil, fabric.ErrInvalid
	}
	p, err := t.cfg.Owner.Resolve(pos, uint64(a.Width))
	if err == nil && uintptr(p)%uintptr(a.Width) != 0 {
		err = fabric.ErrInvalid
	}
	return p, err
}

// longAnswer is the length from which on an answer is sent before the next request is carried out, so that
// its bytes are in flight meanwhile. Shorter ones share system calls.
const longAnswer = 8 << 10

// serveCall lets the owner serve a call of the peer.
func (l *link) serveCall(request []byte) error {
	// The owner may change memory that is the payload of earlier gets.
	if err := l.preserve(nil, 0, math.MaxUint64); err != nil {
		return err
	}
	l.tell()
	l.queueAnswers()
	in := &l.in
	buffer := newBuffer(in.head.arg)
	in.reply, in.deferred = buffer.b, false
	n, err := l.transport.cfg.Owner.Serve(fabric.Request{
		From: l.peer, Service: in.head.number(), Body: request, Reply: in.reply, Later: (*deferrer)(l),
	})
	switch {
	case in.deferred: // the later answer uses the buffer
	case err != nil:
		buffer.giveBack()
		l.answer(0, err)
	default:
		answer, used := buffer.answer(n)
		l.queueAnswer(in.head.id, answer, used, true)
		if n > longAnswer {
			l.kick()
		}
	}
	in.reply = nil
	return nil
}

// queueAnswer queues the answer to a call. used is given back when it has been sent; owed is as in
// outFrame.
func (l *link) queueAnswer(id uint64, answer []byte, used buffer, owed bool) {
	h := header{kind: kindAnswer, id: id, size: uint64(len(answer))}
	l.sendReply(&h, unsafe.Pointer(unsafe.SliceData(answer)), used, owed)
}

func (l *link) serveCopy() error {
	h := &l.in.head
	dst := int(h.member)
	if dst < 0 || dst >= l.transport.cfg.Size {
		l.answer(0, l.transport.noMember(dst))
		return nil
	}
	if dst == l.transport.cfg.Self {
		p, err := l.transport.cfg.Owner.Resolve(h.arg, h.size)
		if err != nil {
			l.answer(0, err)
			return nil
		}
		if err := l.preserve(p, h.arg, h.size); err != nil {
			return err
		}
	}
	l.transport.cfg.Owner.Forward(h.pos, dst, h.arg, h.size, &forwarded{link: l, id: h.id, dst: dst})
	return nil
}

// forwarded replies to a copy request when the owner has carried it out.
type forwarded struct {
	link *link
	id   uint64
	dst  int
}

// Complete implements fabric.Completion.
func (c *forwarded) Complete(_ uint64, err error) {
	c.link.conclude(c.id, c.dst, 0, err, true)
	c.link.kick()
}

// answer answers the request in.head: found is the old value of an atomic, or the bytes of a
// get.
func (l *link) answer(found uint64, err error) {
	if err == nil {
		l.in.answers.add(l.in.head.id, found)
		if l.in.answers.full() {
			l.queueAnswers()
		}
		return
	}
	l.conclude(l.in.head.id, -1, found, err, true)
}

// conclude queues the reply to a request; owed is as in outFrame.
func (l *link) conclude(id uint64, dst int, old uint64, err error, owed bool) {
	h := header{kind: kindReply, id: id, pos: old}
	if err == nil {
		l.sendReply(&h, nil, buffer{}, owed)
		return
	}
	text := report(&h, dst, err)
	l.sendReply(&h, unsafe.Pointer(unsafe.StringData(text)), buffer{}, owed)
}

func (l *link) beginData() error {
	in := &l.in
	l.mu.Lock()
	op := l.ops.find(in.head.id)
	if op == nil || op.kind != in.head.kind || in.head.size > op.size || in.head.size < op.least() {
		l.mu.Unlock()
		return protocolError("%d bytes without a request for them", in.head.size)
	}
	dst, fault := op.dst, op.fault
	l.mu.Unlock()
	if n := in.head.size; n > 0 {
		in.left, in.target, in.fault, in.foreign = n, dst, fault, true
		return nil
	}
	return l.finish(nil)
}

// received records that the bytes of the get in.head have arrived, or were dropped because of fault. The
// reply follows.
func (l *link) received(fault error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if op := l.ops.find(l.in.head.id); op != nil {
		op.kind = kindReply
		if op.fault == nil {
			op.fault = fault
		}
	}
}

// finish completes the operation whose outcome is the frame in.head: an answer, or a reply to a failed
// request.
func (l *link) finish(err error) error {
	h := &l.in.head
	l.mu.Lock()
	defer l.mu.Unlock()
	op := l.settle(h.id)
	if op == nil {
		return protocolError("reply %#x to no request", h.id)
	}
	var old uint64
	switch {
	case err != nil:
	case h.kind == kindAnswer:
		old = h.size
	default:
		err = l.transport.remoteError(l.peer, h, "")
	}
	if op.fault != nil {
		old, err = 0, op.fault
	}
	l.concluded(op, old, err)
	l.ops.remove(h.id, op)
	l.release()
	return nil
}
