package link

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// stream is one end of the messages from one sender to one receiver of a link.
type stream struct {
	end       *end // that it belongs to
	s         *System
	side      side.Side
	index     int // of the partner on its side
	member    int // that the partner is
	number    uint32
	positions points.List   // of the values here, in order of points
	size      uint64        // bytes of the values
	sent      *traffic.Sent // of a sender: the counts of the link; nil if the process does not count

	// word is in the heap of this process: the number of messages that the partner has sent or taken,
	// with the bit ended after the last.
	word *uint64

	there    address // of the partner
	toWord   *uint64 // the word of the partner, if its heap is mapped, otherwise nil
	toEvents *wait.EventCount

	slots unsafe.Pointer // at the receiver; nil if this process has not mapped them
	stage stage          // at the sender, if slots is nil

	gone     atomic.Bool      // the partner has left the run or is lost
	zeroCopy bool             // of a receiver: it has sent its positions to the sender
	asks     bool             // of a receiver: the sender is on another host, and may use remote zero copy
	counted  bool             // of a receiver: the flow does not count as missing any more
	to       flow.Destination // of a sender

	// Of a sender whose values may go by remote zero copy.
	shown   atomic.Pointer[flow.Ready] // its copy of the Shown of the receiver
	remote  remote
	backoff flow.Backoff
}

// address is where the partner of a flow is reached.
type address struct {
	number uint32 // of the flow there
	word   uint64 // position
	events uint64 // position
	slots  uint64 // position, at the receiver
}

// ended is the bit of a word that is set when the partner has closed the link.
const ended = 1 << 63

// wordBytes is the part of the memory of a flow that has its word.
const wordBytes = 64

// reported returns the number of messages that the partner has sent or taken, and whether it has ended.
func (f *stream) reported() (n uint64, over bool) {
	w := atomic.LoadUint64(f.word)
	return w &^ ended, w&ended != 0
}

// tell publishes to the partner the number of messages that this process has sent or taken.
func (f *stream) tell(value uint64) error {
	if f.toWord != nil {
		atomic.StoreUint64(f.toWord, value)
		f.toEvents.Notify()
		return nil
	}
	return f.notify(value)
}

// notify is tell by a notice.
func (f *stream) notify(value uint64) error {
	notice := noticeSent
	if f.side == side.Receiving {
		notice = noticeTaken
	}
	return f.s.p.Notify(f.member, notice, f.there.number, value)
}

// connect finds the memory of the partner, whose address is there.
func (f *stream) connect(there address, levels int) {
	f.there = there
	word, eventsAt := f.find(there.word, 8), f.find(there.events, wait.EventCountBytes)
	if word != nil && eventsAt != nil {
		f.toWord, f.toEvents = (*uint64)(word), (*wait.EventCount)(eventsAt)
	}
	if f.side == side.Receiving {
		return
	}
	if f.toWord != nil {
		f.slots = f.find(there.slots, f.slotBytes()*uint64(levels))
	}
	if f.slots == nil {
		f.stage.make(f.slotBytes(), levels, &f.s.notifier)
	}
}

// find returns where n bytes of the heap or starter memory of the partner are mapped, or nil.
func (f *stream) find(pos, n uint64) unsafe.Pointer {
	if pos > ga.MaxPos {
		return nil
	}
	location, err := f.s.mem.Find(ga.Make(f.s.p.Ranks.Rank(f.member), pos), n)
	if err != nil {
		return nil
	}
	return location.Addr
}

// flows are the flows of this process whose partners send notices or connect.
type flows struct {
	mu       sync.RWMutex
	ends     map[*end]bool // that are open
	last     uint32
	byNumber map[uint32]*stream
	expected map[connection]*expectation
}

// connection names a flow for its sender.
type connection struct {
	id       uint64 // of the link
	sender   int    // index
	receiver int
}

// numberLimit is the end of the numbers of flows.
const numberLimit = 1 << 24

// enter gives a flow its number. It returns false if there are too many flows.
func (t *flows) enter(f *stream) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.byNumber) >= numberLimit/2 {
		return false
	}
	for {
		t.last = (t.last + 1) % numberLimit
		if t.byNumber[t.last] == nil {
			break
		}
	}
	f.number = t.last
	t.byNumber[f.number] = f
	return true
}

// forget ends all flows.
func (t *flows) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends = make(map[*end]bool)
	t.byNumber = make(map[uint32]*stream)
	t.expected = make(map[connection]*expectation)
}

// take takes a notice of the partner of a flow.
func (s *System) take(from int, number uint32, value uint64) {
	defer s.notifier.notify()
	if value&ended != 0 {
		s.flows.end(from, number, value)
		return
	}
	s.flows.mu.RLock()
	defer s.flows.mu.RUnlock()
	if f := s.flows.byNumber[number]; f != nil && f.member == from {
		atomic.StoreUint64(f.word, value)
	}
}
