package tcp

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// A series of small operations is one request, which has a record for each item, and one outcome. So the costs of a
// request are those of many operations: its header, its place in the table, the queue and the window, the look for
// its memory, and its completion. A series of puts is answered as a put is. The items that have failed are
// named by frames before the outcome.

// series returns the series that the header asks for, without its items.
func (h *header) series() fabric.Series {
	return fabric.Series{Kind: fabric.SeriesKind(h.width), Op: fabric.Op(h.code), Size: h.arg}
}

// recordSize returns how many bytes an item of a series takes in the request.
func recordSize(s *fabric.Series) uint64 {
	switch {
	case s.Kind == fabric.SeriesPut:
		return 8 + s.Size
	case s.Kind == fabric.SeriesGet:
		return 8
	case s.Op == fabric.OpCas:
		return 24
	}
	return 16
}

// valueSize returns how many bytes an item of a series takes in the answer.
func valueSize(s *fabric.Series) uint64 {
	switch s.Kind {
	case fabric.SeriesPut:
		return 0
	case fabric.SeriesGet:
		return s.Size
	}
	return 8
}

// checkSeries is decode for a series.
func (h *header) checkSeries() error {
	s := h.series()
	if !s.MayHave(int(h.member)) || h.size != uint64(h.member)*recordSize(&s) {
		return fmt.Errorf("series of kind %d with %d items of %d bytes in %d bytes", h.width, h.member, h.arg, h.size)
	}
	return nil
}

// Series implements fabric.Messenger.
func (t *Transport) Series(peer int, s *fabric.Series, done fabric.Completion) {
	if peer == t.cfg.Self || !s.MayHave(len(s.Items)) {
		done.Complete(0, fabric.Over(name, fabric.ErrInvalid))
		return
	}
	h := seriesHeader(s)
	records := newBuffer(h.size)
	encodeSeries(records.b, s)
	op := operation{done: done, kind: kindReply, series: s}
	if valueSize(s) > 0 {
		op.kind = kindValues
	}
	t.request(peer, &h, unsafe.Pointer(unsafe.SliceData(records.b)), records, &op)
}

// seriesHeader returns the header of the request.
func seriesHeader(s *fabric.Series) header {
	n := len(s.Items)
	return header{
		kind: kindSeries, code: uint8(s.Op), width: uint8(s.Kind), member: uint32(n), size: uint64(n) * recordSize(s), arg: s.Size,
	}
}

// encodeSeries writes a record for each item to b.
func encodeSeries(b []byte, s *fabric.Series) {
	step := int(recordSize(s))
	switch {
	case s.Kind == fabric.SeriesGet:
		for i := range s.Items {
			binary.LittleEndian.PutUint64(b[8*i:], s.Items[i].Pos)
		}
	case s.Kind == fabric.SeriesAtomic:
		for i := range s.Items {
			item, record := &s.Items[i], b[i*step:]
			binary.LittleEndian.PutUint64(record, item.Pos)
			binary.LittleEndian.PutUint64(record[8:], item.Word)
			if s.Op == fabric.OpCas {
				binary.LittleEndian.PutUint64(record[16:], item.Compare)
			}
		}
	case s.Size == fabric.WordMax:
		for i := range s.Items {
			item, record := &s.Items[i], b[i*step:]
			binary.LittleEndian.PutUint64(record, item.Pos)
			binary.NativeEndian.PutUint64(record[8:], item.Word)
		}
	default:
		for i := range s.Items {
			record := b[i*step : (i+1)*step]
			binary.LittleEndian.PutUint64(record, s.Items[i].Pos)
			if s.Size < fabric.WordMax {
				var word [fabric.WordMax]byte
				binary.NativeEndian.PutUint64(word[:], s.Items[i].Word)
				copy(record[8:], word[:])
			} else {
				copy(record[8:], s.Data[uint64(i)*s.Size:])
			}
		}
	}
}

// seriesAsks reports whether an item of a series may change bytes that a counted get in flight asks for.
func (t *operations) seriesAsks(s *fabric.Series) bool {
	if s.Kind == fabric.SeriesGet {
		return false
	}
	for i := range s.Items {
		if t.asks(s.Items[i].Pos, s.Size) {
			return true
		}
	}
	return false
}

// withdraw makes the items of a series fail whose destination is gone.
func (op *operation) withdraw(gone func(p unsafe.Pointer, n uint64) bool) {
	if op.series == nil {
		return
	}
	for i := range op.series.Items {
		if item := &op.series.Items[i]; item.Addr != nil && gone(item.Addr, op.series.Size) {
			item.Addr = nil
			op.series.Fail(i, fabric.Over(name, fabric.ErrGone))
		}
	}
}

// fault records the failure of an item, according to in.head.
func (l *link) fault() error {
	h := &l.in.head
	l.mu.Lock()
	defer l.mu.Unlock()
	op := l.ops.find(h.id)
	if op == nil || op.series == nil || h.member >= uint32(len(op.series.Items)) {
		return protocolError("item %d of no series %#x has failed", h.member, h.id)
	}
	if len(op.series.Failed) >= 2*len(op.series.Items) { // each may be withdrawn, too
		return protocolError("more items of series %#x have failed than it has", h.id)
	}
	op.series.Fail(int(h.member), fabric.Over(name, l.transport.remoteError(l.peer, h, "")))
	return nil
}

// beginValues lets the values of the series in.head arrive.
func (l *link) beginValues() error {
	h := &l.in.head
	l.mu.Lock()
	defer l.mu.Unlock()
	op := l.ops.find(h.id)
	if op == nil || op.kind != kindValues || h.size != uint64(len(op.series.Items))*valueSize(op.series) {
		return protocolError("%d bytes of values without a series for them", h.size)
	}
	l.in.expect(h.size)
	return nil
}

// found completes the series in.head, which has found these values.
func (l *link) found(values []byte) error {
	id := l.in.head.id
	l.mu.Lock()
	op := l.ops.find(id)
	if op == nil {
		l.mu.Unlock()
		return protocolError("values %#x of no series", id)
	}
	s := op.series
	l.mu.Unlock() // nothing else completes the series meanwhile, and nothing withdraws its destinations
	takeValues(s, values)
	l.mu.Lock()
	defer l.mu.Unlock()
	op = l.settle(id)
	l.concluded(op, 0, op.fault)
	l.ops.remove(id, op)
	l.release()
	return nil
}

// takeValues stores what the items of a series have found.
func takeValues(s *fabric.Series, values []byte) {
	if s.Kind == fabric.SeriesAtomic {
		for i := range s.Items {
			s.Items[i].Word = binary.LittleEndian.Uint64(values[8*i:])
		}
		return
	}
	if fabric.Touch(func() {
		for i := range s.Items {
			takeBytes(s, i, values)
		}
	}) == nil {
		return
	}
	for i := range s.Items {
		if err := fabric.Touch(func() { takeBytes(s, i, values) }); err != nil {
			s.Fail(i, fabric.Over(name, err))
		}
	}
}

// takeBytes stores the bytes of item i of a series of gets.
func takeBytes(s *fabric.Series, i int, values []byte) {
	if to := s.Items[i].Addr; to != nil {
		fabric.MoveWords(to, unsafe.Pointer(&values[uint64(i)*s.Size]), s.Size, to)
	}
}
