package tcp

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// serveSeries carries out the series in.head, which has these records.
func (l *link) serveSeries(records []byte) error {
	s := l.in.head.series()
	items, step := int(l.in.head.member), int(recordSize(&s))
	at := l.locate(records, &s, items)
	sending := l.zeroCopies.Load() > 0 // bytes of earlier gets; there will not be more while the caller holds in.lock
	size := int(valueSize(&s))
	var values buffer
	if size > 0 {
		values = newBuffer(uint64(items * size))
	}
	for i := range items {
		record := records[i*step : (i+1)*step]
		pos := binary.LittleEndian.Uint64(record)
		p, err := at.find(pos)
		if err != nil {
			l.failItem(i, err)
			clear(values.b[i*size : (i+1)*size])
			continue
		}
		if sending && s.Kind != fabric.SeriesGet {
			if err := l.preserve(p, pos, s.Size); err != nil {
				return err
			}
		}
		switch s.Kind {
		case fabric.SeriesPut:
			fabric.MoveWords(p, unsafe.Pointer(&record[8]), s.Size, p)
		case fabric.SeriesGet:
			fabric.MoveWords(unsafe.Pointer(&values.b[i*size]), p, s.Size, p)
		default:
			binary.LittleEndian.PutUint64(values.b[i*size:], s.Atomic(operands(record)).Apply(p))
		}
	}
	if size == 0 {
		l.answer(0, nil)
		return nil
	}
	l.sendValues(values)
	return nil
}

// operands returns the operands in the record of an atomic.
func operands(record []byte) (operand, compare uint64) {
	operand = binary.LittleEndian.Uint64(record[8:])
	if len(record) == 24 {
		compare = binary.LittleEndian.Uint64(record[16:])
	}
	return operand, compare
}

// sendValues queues the outcome of the series in.head. It is sent after the outcomes of earlier requests, as that of
// a get is.
func (l *link) sendValues(values buffer) {
	l.queueAnswers()
	n := len(values.b)
	h := header{kind: kindValues, id: l.in.head.id, size: uint64(n)}
	l.sendReply(&h, unsafe.Pointer(unsafe.SliceData(values.b)), values, true)
	if n > longAnswer {
		l.kick()
	}
}

// failItem queues the failure of an item of the series in.head.
func (l *link) failItem(index int, err error) {
	h := header{kind: kindFault, code: uint8(statusInvalid), id: l.in.head.id, member: uint32(index)}
	var bad *fabric.RangeError
	if errors.As(err, &bad) {
		h.code, h.pos, h.size = uint8(statusRange), bad.Pos, bad.Size
	}
	l.sendReply(&h, nil, buffer{}, false)
}

// span is where the items of a series lie in the memory of this process.
type span struct {
	owner fabric.Owner
	kind  fabric.SeriesKind
	size  uint64         // of an item
	low   uint64         // the lowest position
	base  unsafe.Pointer // the address of that; nil if items are not in one piece of memory, or are misaligned
}

// locate looks for the memory of all items at once.
func (l *link) locate(records []byte, s *fabric.Series, items int) span {
	at := span{owner: l.transport.cfg.Owner, kind: s.Kind, size: s.Size, low: ^uint64(0)}
	step := int(recordSize(s))
	var high, bits uint64
	for i := range items {
		pos := binary.LittleEndian.Uint64(records[i*step:])
		at.low, high, bits = min(at.low, pos), max(high, pos), bits|pos
	}
	n := high - at.low + s.Size
	if n < s.Size { // beyond all positions
		return at
	}
	p, err := at.owner.Resolve(at.low, n)
	switch {
	case err != nil:
	case s.Kind == fabric.SeriesAtomic && (bits|uint64(uintptr(p)))&(s.Size-1) != 0:
	case at.owner.Foreign(at.low) && (n > uint64(items)*pageSize || !at.mapped(p, n)):
	default:
		at.base = p
	}
	return at
}

// find returns the address of an item.
func (at *span) find(pos uint64) (unsafe.Pointer, error) {
	if at.base != nil {
		return unsafe.Add(at.base, pos-at.low), nil
	}
	return at.search(pos)
}

// search is find for one item by itself.
func (at *span) search(pos uint64) (unsafe.Pointer, error) {
	n := at.size
	p, err := at.owner.Resolve(pos, n)
	switch {
	case err != nil:
		return nil, err
	case at.kind == fabric.SeriesAtomic && (pos|uint64(uintptr(p)))&(n-1) != 0:
		return nil, fabric.ErrInvalid
	case at.owner.Foreign(pos) && !at.mapped(p, n):
		return nil, &fabric.RangeError{Pos: pos, Size: n}
	}
	return p, nil
}

// mapped asks the kernel whether the n bytes at p can be accessed.
func (at *span) mapped(p unsafe.Pointer, n uint64) bool {
	if at.kind == fabric.SeriesGet {
		return fabric.Readable(p, n)
	}
	return fabric.Writable(p, n)
}
