package tcp

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// operation is an operation of this process that waits for its reply.
type operation struct {
	done fabric.Completion
	kind kind           // of the frame that reports success
	dst  unsafe.Pointer // destination of the returned bytes; nil if they are dropped
	size uint64         // their number; for a call the greatest number

	pos     uint64 // of the bytes that a get asks for
	batched bool   // done is fabric.Batched
	prompt  bool   // counts in link.prompt
	asked   bool   // size counts in link.asked
	later   bool   // the peer answers later: the operation does not count in link.under any more
	fault   error  // the error of the operation, whatever the peer replies

	series *fabric.Series // of a series; nil for other operations

	generation uint32 // of the slot, so that an id is not valid twice in a row
	next       uint32 // index + 1 of the next free slot
}

// least returns the least number of bytes that may be returned.
func (op *operation) least() uint64 {
	if op.kind == kindAnswer {
		return 0
	}
	return op.size
}

// operations is a table of operations. The id of an operation has its slot in the low and the generation of
// the slot in the high 32 bits. Slots are reused, so the table is as large as the largest number of
// operations at one time.
type operations struct {
	slots []operation
	free  uint32 // index + 1 of the first free slot
}

// add puts a copy of op in the table.
func (t *operations) add(op *operation) (id uint64) {
	if t.free == 0 {
		t.slots = append(t.slots, operation{})
		t.free = uint32(len(t.slots))
	}
	i := t.free - 1
	slot := &t.slots[i]
	t.free = slot.next
	op.generation = slot.generation
	*slot = *op
	return uint64(slot.generation)<<32 | uint64(i)
}

// find returns the operation with this id, or nil. The pointer is valid until
// the next add.
func (t *operations) find(id uint64) *operation {
	i := id & 0xffffffff
	if i >= uint64(len(t.slots)) {
		return nil
	}
	slot := &t.slots[i]
	if slot.done == nil || slot.generation != uint32(id>>32) {
		return nil
	}
	return slot
}

// remove removes an operation that find has returned for this id.
func (t *operations) remove(id uint64, op *operation) {
	*op = operation{generation: op.generation + 1, next: t.free}
	t.free = uint32(id) + 1
}

// asks reports whether a counted get in flight asks for one of the n bytes at pos.
func (t *operations) asks(pos, n uint64) bool {
	for i := range t.slots {
		if op := &t.slots[i]; op.asked && overlap(op.pos, op.size, pos, n) {
			return true
		}
	}
	return false
}

// each calls visit for every operation in the table, in no particular order.
func (t *operations) each(visit func(*operation)) {
	for i := range t.slots {
		if t.slots[i].done != nil {
			visit(&t.slots[i])
		}
	}
}
