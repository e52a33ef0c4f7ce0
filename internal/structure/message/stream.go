package message

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/heapview"
)

// stream is all that this process sends to another member.
type stream struct {
	to int

	mu     sync.Mutex       // taken to send a record
	ring   *writer          // nil: records go to the agent
	events *wait.EventCount // of the receiver, if there is a ring

	delivering atomic.Int64 // bytes of records on the way to the agent
}

// eager returns the longest message that is sent in its record.
func (s *stream) eager() int {
	if s.ring != nil {
		return eagerMax
	}
	return fabric.CallMax - 8*headWords[kindMessage]
}

// streamTo returns the stream to another member, and makes it at the first use. Then it blocks for
// one round trip.
func (h *Engine) streamTo(to int) (*stream, error) {
	if s := h.out.Load(to); s != nil {
		return s, nil
	}
	h.connecting.Lock()
	defer h.connecting.Unlock()
	if s := h.out.Load(to); s != nil {
		return s, nil
	}
	s := &stream{to: to}
	if view := h.cfg.Memory.HeapView(to); view != nil {
		if err := h.connect(s, view); err != nil {
			return nil, err
		}
	}
	h.out.Store(to, s)
	return s, nil
}

// connectBytes is the length of the answer to a request for a ring: the addresses of the ring and
// of the event count, 0 if there are none.
const connectBytes = 2 * 8

// connect asks the receiver of a stream for a ring. If it has none, or this process does not reach
// it, the stream remains without.
func (h *Engine) connect(s *stream, view *heapview.View) error {
	answer := make([]byte, connectBytes)
	n, err := h.cfg.Memory.Call(s.to, h.cfg.Op(opConnect), nil, answer)
	if err != nil {
		return err
	}
	if n != connectBytes {
		return fmt.Errorf("%w: the address of a ring has %d bytes", global.ErrProtocol, n)
	}
	at, eventsAt := binary.LittleEndian.Uint64(answer), binary.LittleEndian.Uint64(answer[8:])
	if at == 0 {
		return nil
	}
	memory, err := view.Bytes(at, ringBytes)
	word, err2 := view.Bytes(eventsAt, wait.EventCountBytes)
	if err != nil || err2 != nil || at%8 != 0 || eventsAt%8 != 0 {
		return nil
	}
	s.ring = &writer{ring: ring{unsafe.Pointer(unsafe.SliceData(memory))}}
	s.events = (*wait.EventCount)(unsafe.Pointer(unsafe.SliceData(word)))
	return nil
}

// serveConnect makes the ring for the messages of another member.
func (h *Engine) serveConnect(r fabric.Request) (int, error) {
	if len(r.Body) != 0 || len(r.Reply) < connectBytes || r.From == h.self {
		return 0, fmt.Errorf("%w: a request for a ring", global.ErrProtocol)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	at, eventsAt := h.addRing(r.From)
	binary.LittleEndian.PutUint64(r.Reply, at)
	binary.LittleEndian.PutUint64(r.Reply[8:], eventsAt)
	return connectBytes, nil
}

// addRing makes the ring from a member and returns its address and that of the event count; 0 if
// there is no room for it, or if there has been one. The caller holds the lock.
func (h *Engine) addRing(from int) (at, eventsAt uint64) {
	if h.in.Load(from) != nil || h.makeEventCount() != nil {
		return 0, 0
	}
	at, mem, err := h.allocate(ringBytes)
	if err != nil {
		return 0, 0
	}
	r := &reader{ring: ring{mem}, from: from}
	r.clear()
	h.in.Store(from, r)
	all := append([]*reader(nil), *h.readers.Load()...)
	all = append(all, r)
	h.readers.Store(&all)
	return at, h.eventsAt
}

// send sends a record. The payload is that of a message. If the ring is full, and the receiver does
// not make room soon, send blocks until the agent of the receiver has. Without a ring it blocks while many
// bytes are on the way to the agent.
func (h *Engine) send(s *stream, r *record, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring == nil {
		return h.deliver(s, r.encode(payload))
	}
	for !s.ring.put(r, payload) {
		if h.awaitCapacity(s) {
			continue
		}
		if _, err := h.cfg.Memory.Call(s.to, h.cfg.Op(opDrain), nil, nil); err != nil {
			return h.orGone(s.to, err)
		}
	}
	s.events.Notify()
	return nil
}

// awaitCapacity spins until half of a full ring is free, and reports whether it is.
func (h *Engine) awaitCapacity(s *stream) bool {
	free := func() bool { return s.ring.fits(ringData / 2) }
	wait.Spin(h.cfg.Budget.Spin(), free)
	return free()
}

// maxDelivering is how many bytes of records may be on the way to an agent before the sender waits.
const maxDelivering = 4 << 20

// deliver sends the agent of the receiver a record. It waits if many bytes are on the way there.
func (h *Engine) deliver(s *stream, record []byte) error {
	n := int64(len(record))
	fits := func() bool { return s.delivering.Load() <= maxDelivering-n }
	if !fits() {
		if err := h.waitForAgent(activity.Send, s.to, fits); err != nil {
			return err
		}
	}
	s.delivering.Add(n)
	h.flow.begin()
	h.cfg.Messenger.Call(s.to, uint16(h.cfg.Op(opDeliver)), record, nil, &delivery{h, s, n})
	return nil
}

// delivery ends the request that has carried a record. It implements fabric.Completion.
type delivery struct {
	engine *Engine
	stream *stream
	n      int64 // bytes of the record
}

// Complete implements fabric.Completion.
func (d *delivery) Complete(_ uint64, err error) {
	if err != nil && !errors.Is(err, fabric.ErrMemberGone) { // memberGone ends the waits for that one
		d.engine.Fail(err)
	}
	last := d.engine.flow.end()
	if d.stream.delivering.Add(-d.n) > maxDelivering/2 || last {
		d.engine.wake() // the sender may wait
	}
}
