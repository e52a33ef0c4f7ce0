package tcp

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// The kernel copies payloads as they come from the network and as the socket has room. Then a word may arrive
// in two parts. So for a payload whose aligned words have to stay whole, the agent uses a private buffer and
// moves the words after the whole payload is there.

// PutWords implements fabric.Messenger.
func (t *Transport) PutWords(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	if n > fabric.CallMax {
		done.Complete(0, fabric.Over(name, fabric.ErrInvalid))
		return
	}
	t.put(peer, header{kind: kindPut, width: fabric.WordMax, pos: pos, size: n}, src, done)
}

// GetWords implements fabric.Messenger.
func (t *Transport) GetWords(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	if n > fabric.CallMax {
		done.Complete(0, fabric.Over(name, fabric.ErrInvalid))
		return
	}
	t.get(peer, header{kind: kindGet, width: fabric.WordMax, pos: pos, size: n}, dst, done)
}

// storeWords stores the payload of the put in.head, which has arrived, and answers.
func (l *link) storeWords() error {
	in := &l.in
	pos, n := in.head.pos, in.head.size
	p, err := l.transport.cfg.Owner.Resolve(pos, n)
	if err == nil && l.transport.cfg.Owner.Foreign(pos) && !fabric.Writable(p, n) {
		err = &fabric.RangeError{Pos: pos, Size: n}
	}
	if err == nil {
		if err := l.preserve(p, pos, n); err != nil {
			return err
		}
		fabric.MoveWords(p, unsafe.Pointer(unsafe.SliceData(in.text)), n, p)
	}
	l.answer(0, err)
	return nil
}

// sendWords queues a copy of the n bytes at p, more than inlineMax, for the get in.head, and the reply.
func (l *link) sendWords(p unsafe.Pointer, n uint64) {
	r := newBuffer(n)
	to := unsafe.Pointer(unsafe.SliceData(r.b))
	fabric.MoveWords(to, p, n, p)
	l.sendData(to, n, &r)
}
