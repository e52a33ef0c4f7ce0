package message

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
)

// ringHead is the beginning of a ring in the heap of the reader. The data follow.
//
// The word behind the last record is 0. The reader polls that word, and a record is there as soon
// as the word is not 0. A record does not run over the end of the ring: a record of kind skip
// fills the rest.
type ringHead struct {
	Taken uint64 // bytes that the reader has ever taken out
	_     [56]byte
}

const (
	ringHeadBytes = uint64(unsafe.Sizeof(ringHead{}))
	ringBytes     = 64 << 10 // what the heap has a block for
	ringData      = ringBytes - ringHeadBytes

	// eagerMax is the longest message that goes through a ring.
	eagerMax = 8 << 10
)

// ring is a ring as this process has mapped it.
type ring struct{ base unsafe.Pointer }

// clear makes it empty.
func (r ring) clear() { clear(unsafe.Slice((*byte)(r.base), ringBytes)) }

// head returns the part that the reader writes.
func (r ring) head() *ringHead { return (*ringHead)(r.base) }

// at returns where the byte with a number lies, counted from the first record ever.
func (r ring) at(pos uint64) unsafe.Pointer {
	return unsafe.Add(r.base, ringHeadBytes+pos%ringData)
}

// word returns the word at at.
func (r ring) word(pos uint64) *uint64 { return (*uint64)(r.at(pos)) }

// span returns the bytes that a record takes in a ring.
func span(k kind, size uint64) uint64 {
	n := 8 * uint64(headWords[k])
	if k == kindMessage {
		n += (size + 7) &^ 7
	}
	return n
}

// writer is the end of a ring that puts records in. One goroutine at a time uses it.
type writer struct {
	ring
	pos   uint64 // bytes ever put in
	taken uint64 // as it was read last
}

// put puts a record in, and reports whether there was room for it. A message has eagerMax bytes
// at most.
func (w *writer) put(r *record, payload []byte) bool {
	n := span(r.kind, r.size)
	skip := uint64(0)
	if rest := ringData - w.pos%ringData; rest < n {
		skip = rest
	}
	if !w.fits(skip + n + 8) {
		return false
	}
	pos := w.pos + skip
	words := r.words()
	head := unsafe.Slice(w.word(pos), headWords[r.kind])
	copy(head[1:], words[1:])
	copy(unsafe.Slice((*byte)(w.at(pos+8*uint64(len(head)))), len(payload)), payload)
	*w.word(pos + n) = 0
	// Sequentially consistent: either this side sees that the other is about to park, or the other
	// sees the record.
	atomic.StoreUint64(w.word(pos), words[0])
	if skip > 0 {
		atomic.StoreUint64(w.word(w.pos), uint64(kindSkip)|skip<<sizeShift)
	}
	w.pos = pos + n
	return true
}

// fits reports whether there is room for n bytes.
func (w *writer) fits(n uint64) bool {
	if n <= ringData-(w.pos-w.taken) {
		return true
	}
	w.taken = atomic.LoadUint64(&w.head().Taken)
	return n <= ringData-(w.pos-w.taken)
}

// reader is the end of a ring that takes records out. The holder of the lock of its Engine uses it;
// any may be called at any time.
type reader struct {
	ring
	from int           // the member that writes
	pos  atomic.Uint64 // bytes ever taken out
}

// any reports whether there is a record.
func (r *reader) any() bool { return atomic.LoadUint64(r.word(r.pos.Load())) != 0 }

// next returns the first record and the bytes of its message, which are in the ring. It returns
// false if there is none. Fails with global.ErrProtocol: another process has written to the ring
// what this version of the library does not.
func (r *reader) next() (rec record, payload []byte, ok bool, err error) {
	first := atomic.LoadUint64(r.word(r.pos.Load()))
	if kindOf(first) == kindSkip {
		if err := r.skip(sizeOf(first)); err != nil {
			return rec, nil, false, err
		}
		first = atomic.LoadUint64(r.word(r.pos.Load()))
	}
	if first == 0 {
		return rec, nil, false, nil
	}
	pos, k := r.pos.Load(), kindOf(first)
	var w [maxHead]uint64
	head := uint64(headWords[k])
	if head < 2 || sizeOf(first) > eagerMax && k == kindMessage || span(k, sizeOf(first)) > ringData-pos%ringData {
		return rec, nil, false, fmt.Errorf("%w: a record %#x in a ring", global.ErrProtocol, first)
	}
	copy(w[:head], unsafe.Slice(r.word(pos), head))
	w[0] = first
	rec = parse(&w)
	if k == kindMessage {
		payload = unsafe.Slice((*byte)(r.at(pos+8*head)), rec.size)
	}
	return rec, payload, true, rec.check(uint64(len(payload)))
}

// skip goes to the beginning of the ring.
func (r *reader) skip(n uint64) error {
	pos := r.pos.Load()
	if n != ringData-pos%ringData {
		return fmt.Errorf("%w: %d bytes of a ring are skipped", global.ErrProtocol, n)
	}
	r.pos.Store(pos + n)
	return nil
}

// take takes out a record that next has returned.
func (r *reader) take(rec *record) {
	pos := r.pos.Load() + span(rec.kind, rec.size)
	r.pos.Store(pos)
	atomic.StoreUint64(&r.head().Taken, pos)
}
