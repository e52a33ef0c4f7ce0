package signal

import (
	"encoding/binary"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/dmi/gate"
)

// MaxBytes is the most bytes of a signal.
const MaxBytes = fabric.CallMax - messageHead

// The number of a slot is the position of its queue in units of unit bytes. If a heap is full, or so large that the number has no room
// for the position, the number has the flag private, and signals to it are messages.
const (
	unit    = 64
	private = 1 << 31
)

// queuesPerSlab is how many queues a block of the heap has.
const queuesPerSlab = 16

// Slots are where threads of this process wait for signals. Its methods may be called by several goroutines at once.
type Slots struct {
	p    *extension.Process
	send func(member int, message []byte) // sends a message to the process of a slot, without waiting
	gate gate.Gate

	check func(addr int64) error // fails if the space of an object has ended; may be nil

	mu   sync.Mutex
	all  map[uint32]*Slot // by number
	free []*Slot
	last uint32 // the newest number with the flag private
}

// New returns no slots yet, for an *acp.Process. send sends a message to a member, which passes it to Deliver, in the order of the calls. It does
// not block.
func New(p *extension.Process, send func(member int, message []byte)) *Slots {
	return &Slots{p: p, send: send, all: make(map[uint32]*Slot)}
}

// NewSlot returns a slot without signals. Does not block.
func (s *Slots) NewSlot() *Slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 && s.addSlab() != nil {
		s.last++
		s.free = append(s.free, &Slot{slots: s, number: private | s.last, q: new(queue)})
	}
	x := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	x.q.reset()
	s.all[x.number] = x
	return x
}

// addSlab makes more free slots. The caller holds the lock. Fails if their queues have no room in the heap.
func (s *Slots) addSlab() error {
	own := s.p.Memory.Own()
	at, err := own.AllocZero(queuesPerSlab*queueBytes + unit)
	if err != nil {
		return err
	}
	pos := (ga.Pos(at) + unit - 1) / unit * unit
	for range queuesPerSlab {
		if pos/unit >= private {
			return heapview.ErrFull
		}
		q, err := heapview.At[queue](own, ga.Make(ga.Rank(at), pos))
		if err != nil {
			return err
		}
		s.free = append(s.free, &Slot{slots: s, number: uint32(pos / unit), q: q})
		pos += queueBytes
	}
	return nil
}

// queueOf returns the queue of a slot of a member, or nil if this process has not mapped it.
func (s *Slots) queueOf(member int, number uint32) *queue {
	if number&private != 0 {
		return nil
	}
	view := s.p.Memory.HeapView(member)
	if view == nil {
		return nil
	}
	q, err := heapview.At[queue](view, ga.Make(s.p.Ranks.Rank(member), uint64(number)*unit))
	if err != nil {
		return nil
	}
	return q
}

// Signal sends a value of at most MaxBytes bytes to a slot of a member. Signals from a thread to a slot arrive in order. Fails if the member is
// gone or the run is over. Does not block.
func (s *Slots) Signal(member int, slot uint32, value []byte) error {
	if err := s.gate.Enter(); err != nil {
		return err
	}
	defer s.gate.Leave()
	q := s.queueOf(member, slot)
	if q != nil {
		if given, err := q.give(s.p.Lifecycle.Alive, value); given || err != nil {
			return err
		}
	}
	m := message{slot: slot, counted: q != nil, value: value}.encode()
	if member == s.p.Ranks.Self() {
		return s.Deliver(m)
	}
	if err := s.p.Check(member); err != nil {
		return err
	}
	s.send(member, m)
	return nil
}

// Deliver puts the signal of a message into its slot, and keeps the memory of the message. A signal to no slot is for a thread that does not wait any
// more. Fails with am.ErrMalformed. Does not block.
func (s *Slots) Deliver(b []byte) error {
	m, ok := decode(b)
	if !ok {
		return am.ErrMalformed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.all[m.slot]
	if x == nil {
		return nil
	}
	x.messages = append(x.messages, m)
	x.count.Add(1)
	x.q.events.Notify()
	return nil
}

// Watch lets waits fail with the error of check for the address of an object, which is that of a space that has ended. check does not block. It is
// called before the first wait. Does not block.
func (s *Slots) Watch(check func(addr int64) error) { s.check = check }

// EndSpace ends the waits for objects in a space that has ended: check fails for its addresses from begin to end. Does not block.
func (s *Slots) EndSpace(begin, end int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.all {
		if addr := x.addr.Load(); begin <= addr && addr < end {
			x.q.events.Notify()
		}
	}
}

// Wake wakes all threads that wait, which then see that the run is over. Does not block.
func (s *Slots) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.all {
		x.q.events.Notify()
	}
}

// Close ends all waits. Later ones fail. Blocks until none is under way.
func (s *Slots) Close() { s.gate.Close(s.p.Lifecycle.Alive, s.Wake) }

// Forget forgets all slots, when the heap of the process is empty. No thread uses them any more.
func (s *Slots) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.all)
	s.free = nil
	s.gate.Open()
}

// message is a signal in a message: the number of the slot, and whether the queue of the slot counts it as away.
type message struct {
	slot    uint32
	counted bool
	value   []byte
}

const messageHead = 4 + 1

func (m message) encode() []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, messageHead+len(m.value)), m.slot)
	counted := byte(0)
	if m.counted {
		counted = 1
	}
	return append(append(b, counted), m.value...)
}

// decode keeps b.
func decode(b []byte) (message, bool) {
	if len(b) < messageHead || b[4] > 1 {
		return message{}, false
	}
	return message{binary.LittleEndian.Uint32(b), b[4] == 1, b[messageHead:]}, true
}
