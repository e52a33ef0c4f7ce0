package transfer

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
)

// pieceBytes is the maximum number of bytes of data in a request or reply: a multiple of every element
// size, with room for the rest of the message.
const pieceBytes = (fabric.CallMax - 512) / element.MaxSize * element.MaxSize

// longBlock is the size from which on blocks are not packed, but sent from where they lie and
// received where they belong.
const longBlock = 32 << 10

// shortBlock is the greatest length of a block that is copied here and by the owner.
const shortBlock = fabric.CallMax

// farStrided makes a merged transfer by requests to the owner. at is the position of the owner's side.
func (e *Engine) farStrided(r *Request, at uint64, remote *shape.Side, t *Tracker) error {
	if r.Kind != Accumulate && (r.Shape.Levels == 0 || r.Shape.Block >= longBlock) {
		return e.farBlocks(r, at, t)
	}
	all, err := r.Shape.Bytes()
	if err != nil {
		return err
	}
	local := r.Shape.LocalSide()
	for start := int64(0); start < all; {
		target := shape.Target{At: at, Side: *remote, Start: start, N: min(pieceBytes, all-start)}
		if r.Kind != Accumulate {
			target.N -= target.Split()
		}
		p := &piece{local: r.Local, side: &local, start: start, n: target.N}
		if err := e.send(r, &target, p, t); err != nil {
			return err
		}
		start += target.N
	}
	return nil
}

// farBlocks puts or gets each block by an operation of the transport.
func (e *Engine) farBlocks(r *Request, at uint64, t *Tracker) (err error) {
	r.Shape.Each(func(l, m int64) bool {
		err = e.farBlock(r.Kind, r.Proc, at+uint64(m), unsafe.Add(r.Local, l), r.Shape.Block, t)
		return err == nil
	})
	return err
}

// farBlock puts or gets n bytes by an operation of the transport. A short put is copied first, so that it
// is locally complete at once. The owner moves the aligned words of a short block as a whole, which would
// make long ones slower by half.
func (e *Engine) farBlock(kind Kind, proc int, pos uint64, local unsafe.Pointer, n int64, t *Tracker) error {
	messenger, member := e.process.Messenger, e.world.Member(proc)
	switch {
	case kind == Get && n > shortBlock:
		messenger.Get(member, pos, local, uint64(n), e.fetch(t))
		return nil
	case kind == Get:
		messenger.GetWords(member, pos, local, uint64(n), e.fetch(t))
		return nil
	case n > shortBlock:
		t.begin()
		e.table.Send(proc)
		messenger.Put(member, pos, local, uint64(n), &stored{engine: e, proc: proc, tracker: t})
		return nil
	}
	if err := e.reserve(n); err != nil {
		return err
	}
	data := newBuffer(int(n))
	if err := fabric.TryMove(unsafe.Pointer(unsafe.SliceData(data)), local, uint64(n)); err != nil {
		e.giveBack(n)
		return transportError(err)
	}
	e.table.Send(proc)
	messenger.PutWords(member, pos, unsafe.Pointer(unsafe.SliceData(data)), uint64(n), &stored{engine: e, proc: proc, bytes: n, body: data})
	return nil
}
