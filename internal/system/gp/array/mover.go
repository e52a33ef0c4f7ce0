package array

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// shortElement is the maximum size of an element that is sent together with other elements.
const shortElement = 8 << 10

// mover copies bytes between addresses of other ranks and memory of this process.
type mover struct {
	sys   *System
	calls calls
	batch *global.Batch

	spans  []span   // of the message that is made
	memory [][]byte // here, by span
	bytes  uint64   // of all spans
}

func newMover(s *System) *mover {
	return &mover{sys: s, calls: calls{sys: s}, batch: s.mem.NewBatch()}
}

// fetch copies the elements of a part to dst, or begins to.
func (m *mover) fetch(l *lookup, part grid.Part, dst [][]byte) error {
	heap, window := m.reach(part.Rank)
	for _, r := range part.Runs {
		pairs := l.pairs[r.Entry : r.Entry+r.N]
		for i, mem := range dst[r.Entry:][:len(pairs)] {
			if len(mem) == 0 {
				continue
			}
			if there := window.At(pairs[i].at, uint64(len(mem))); there != nil {
				copy(mem, unsafe.Slice((*byte)(there), len(mem)))
				m.sys.count(part.Rank, traffic.Get, traffic.SHM, len(mem))
				continue
			}
			if e := r.Entry + i; l.data != nil && l.data[e] != nil {
				copy(mem, l.data[e])
				m.sys.count(part.Rank, traffic.Get, traffic.TCP, len(mem))
				continue
			}
			if err := m.move(heap, part.Rank, pairs[i].at, mem, opRead); err != nil {
				return err
			}
		}
	}
	return m.flush(part.Rank, opRead)
}

// send copies src to the elements of a part, or begins to.
func (m *mover) send(l *lookup, part grid.Part, src [][]byte) error {
	heap, window := m.reach(part.Rank)
	for _, r := range part.Runs {
		pairs := l.pairs[r.Entry : r.Entry+r.N]
		for i, mem := range src[r.Entry:][:len(pairs)] {
			if len(mem) == 0 {
				continue
			}
			if there := window.At(pairs[i].at, uint64(len(mem))); there != nil {
				copy(unsafe.Slice((*byte)(there), len(mem)), mem)
				m.sys.count(part.Rank, traffic.Put, traffic.SHM, len(mem))
				continue
			}
			if err := m.move(heap, part.Rank, pairs[i].at, mem, opWrite); err != nil {
				return err
			}
		}
	}
	return m.flush(part.Rank, opWrite)
}

// reach returns the heap of a rank if this process has mapped it, and its mapped part.
func (m *mover) reach(rank int) (*heapview.View, heapview.Window) {
	heap := m.sys.heapView(rank)
	if heap == nil {
		return nil, heapview.Window{}
	}
	return heap, heap.Window()
}

// move copies mem from an address of a rank, with opRead, or to it, with opWrite. heap is the
// heap of the rank, or nil.
func (m *mover) move(heap *heapview.View, rank int, at uint64, mem []byte, operation int) error {
	if heap != nil {
		if there, err := heap.Bytes(at, uint64(len(mem))); err == nil {
			if operation == opRead {
				copy(mem, there)
			} else {
				copy(there, mem)
			}
			m.sys.count(rank, kindOf(operation), traffic.SHM, len(mem))
			return nil
		}
	}
	if len(mem) > shortElement {
		return m.transfer(rank, at, mem, operation)
	}
	m.sys.count(rank, kindOf(operation), traffic.TCP, len(mem))
	n := uint64(len(mem))
	if len(m.spans) == maxPlaces || m.bytes+n > maxInline {
		if err := m.flush(rank, operation); err != nil {
			return err
		}
	}
	m.spans, m.memory, m.bytes = append(m.spans, span{at, n}), append(m.memory, mem), m.bytes+n
	return nil
}

// transfer begins to copy many bytes directly from or to their place.
func (m *mover) transfer(rank int, at uint64, mem []byte, operation int) error {
	if err := m.batch.WaitCapacity(); err != nil {
		return err
	}
	there, err := m.sys.mem.Find(at, uint64(len(mem)))
	if err != nil {
		return global.Cause(err)
	}
	here := m.sys.mem.Here(mem)
	dst, src := there, here
	if operation == opRead {
		dst, src = here, there
	}
	path := m.batch.Add(dst, src, uint64(len(mem)))
	m.sys.count(rank, kindOf(operation), path.Traffic(), len(mem))
	return nil
}

// flush sends the message that has been made, if there is one.
func (m *mover) flush(rank, operation int) error {
	if len(m.spans) == 0 {
		return nil
	}
	spans, memory, n := m.spans, m.memory, m.bytes
	m.spans, m.memory, m.bytes = nil, nil, 0
	request, size := appendSpans(nil, spans), 0
	if operation == opWrite {
		for _, b := range memory {
			request = append(request, b...)
		}
	} else {
		size = int(n)
	}
	return m.calls.start(rank, operation, request, size, func(b []byte) error {
		if len(b) != size {
			return fmt.Errorf("rank %d: %w", rank, errMalformed)
		}
		if operation == opRead {
			for _, mem := range memory {
				b = b[copy(mem, b):]
			}
		}
		return nil
	})
}

// wait waits until all bytes are there.
func (m *mover) wait() error {
	err := m.calls.wait()
	if err = global.Cause(errors.Join(err, m.batch.Wait())); err == nil {
		m.calls.release()
	}
	return err
}
