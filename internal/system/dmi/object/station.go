package object

import (
	"errors"
	"fmt"
	"sync"
)

// ErrMismatch: the threads of a round call a barrier differently.
var ErrMismatch = errors.New("threads call it differently")

// station is a barrier as the threads of one process use it. Threads queue their arrivals there. One thread at a time
// sends: it takes arrivals out of the queue and sends them in one message. So those that come while a message is under
// way travel together.
//
// In each round, the first thread of the process that waits has the entry of the process in the barrier. It is told how
// the round ends, and tells the other threads and the processes that are children of this one.
type station struct {
	objects *Objects
	addr    int64
	users   int // LocalBarriers; guarded by Objects.mu

	mu      sync.Mutex
	sending bool              // a thread sends, or has been told to send
	queue   []*comer          // arrivals that no message has
	parties map[uint32]*party // the rounds in which threads of this process wait
}

// comer is a thread that arrives.
type comer struct {
	slot  Slot
	call  gathering
	value value

	ended   bool // there is an outcome; guarded by station.mu
	outcome outcome
	knows   bool // the thread has found the outcome itself, and gets no signal; the thread alone uses it
}

// outcome is how a round ends.
type outcome struct {
	value value
	err   error
}

// party are the threads of this process that wait in one round.
type party struct {
	others   []*comer // all but the one with the entry
	children []place
	ended    bool // outcome and note are set
	outcome  outcome
	note     []byte // for the children
}

// arrive enters a thread. If no other thread is sending, it sends.
func (s *station) arrive(c *comer) {
	s.mu.Lock()
	s.queue = append(s.queue, c)
	sends := !s.sending
	s.sending = true
	s.mu.Unlock()
	if sends {
		s.send(c)
	}
}

// mostTurns bounds how many messages a thread sends for others.
const mostTurns = 8

// send sends what is queued. A thread that has its outcome, or has sent often, gives the task to another one.
//
// A signal fails only if the run is over. Then all waits fail, so nothing needs the error.
func (s *station) send(c *comer) {
	for turn := 1; ; turn++ {
		batch := s.take()
		if len(batch) == 0 {
			return
		}
		s.deliver(c, batch)
		if next := s.successor(c, turn); next != nil {
			s.signal(next, noteSend)
			return
		}
	}
}

// signal sends a note to a thread of this process.
func (s *station) signal(c *comer, n note) {
	m := s.objects.memory
	_ = m.Signal(m.Member(), c.slot.ID(), []byte{byte(n), 0})
}

// take takes the arrivals of the next message out of the queue: those that call alike. If there is none, the sending
// has ended. No message is under way, which could bring threads into a round that has ended: such rounds are forgotten.
func (s *station) take() []*comer {
	s.mu.Lock()
	defer s.mu.Unlock()
	for round, p := range s.parties {
		if p.ended {
			delete(s.parties, round)
		}
	}
	n := 0
	for n < len(s.queue) && s.queue[n].call == s.queue[0].call && n < int(s.queue[0].call.threads) {
		n++
	}
	batch := s.queue[:n:n]
	s.queue = s.queue[n:]
	if n == 0 {
		s.queue, s.sending = nil, false
	}
	return batch
}

// successor returns the thread that is to send next in place of c, if any.
func (s *station) successor(c *comer, turn int) *comer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 || !c.ended && turn < mostTurns || s.queue[0] == c {
		return nil
	}
	return s.queue[0]
}

// deliver sends the arrivals of a batch, and handles the answer. The calling thread is c.
func (s *station) deliver(c *comer, batch []*comer) {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	for {
		a := s.message(batch)
		a.put(x.in[:])
		if err := s.objects.call(s.addr, barrierArrive, x); err != nil {
			s.tell(c, batch, outcome{err: errors.Unwrap(err)}, nil, nil)
			return
		}
		got := answerAt(x.out[:])
		switch {
		case got.status == tooMany && got.room != 0 && int(got.room) < len(batch):
			batch = s.keepBack(batch, int(got.room))
			continue
		case got.status == done || got.status == mismatch:
			v := roundValue(&got)
			s.tell(c, batch, outcomeOf(v), got.tell, v)
		case got.status == waiting:
			s.join(c, batch, &got)
		default:
			s.tell(c, batch, outcome{err: ErrArgument}, nil, nil)
		}
		return
	}
}

// message returns the message for some arrivals. The first of them gets the entry of the process, unless another thread
// has it.
func (s *station) message(batch []*comer) arrival {
	first := batch[0]
	a := arrival{threads: uint32(len(batch)), call: first.call, value: first.value,
		to: place{uint32(s.objects.memory.Member()), first.slot.ID()}}
	if first.call.op != 0 {
		for _, c := range batch[1:] {
			a.value = combine(a.call.op, a.call.kind, a.value, c.value)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for round, p := range s.parties { // the rounds that have not ended; of several, the last one counts
		if !p.ended && (!a.entered || int32(round-a.round) > 0) {
			a.entered, a.round = true, round
		}
	}
	return a
}

// keepBack puts all but the first n arrivals back into the queue.
func (s *station) keepBack(batch []*comer, n int) []*comer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(append([]*comer(nil), batch[n:]...), s.queue...)
	return batch[:n]
}

// join handles the answer to arrivals that wait now.
func (s *station) join(c *comer, batch []*comer, got *answer) {
	s.mu.Lock()
	p := s.party(got.round)
	if got.entered {
		p.children = got.tell
		batch = batch[1:]
	}
	p.others = append(p.others, batch...)
	s.mu.Unlock()
	s.conclude(c, p)
}

// party returns the threads that wait in a round. s.mu is held.
func (s *station) party(round uint32) *party {
	p := s.parties[round]
	if p == nil {
		p = &party{}
		s.parties[round] = p
	}
	return p
}

// end handles the note that tells c, the thread with the entry, how a round has ended.
func (s *station) end(c *comer, v []byte) {
	s.mu.Lock()
	p := s.party(word(v, 4))
	p.ended, p.outcome, p.note = true, outcomeOf(v), v
	c.ended, c.outcome = true, p.outcome
	if !s.sending {
		delete(s.parties, word(v, 4))
	}
	s.mu.Unlock()
	s.conclude(c, p)
}

// conclude tells the threads of a party how the round has ended, if that is known. The calling thread is c.
func (s *station) conclude(c *comer, p *party) {
	s.mu.Lock()
	if !p.ended {
		s.mu.Unlock()
		return
	}
	others, children := p.others, p.children
	p.others, p.children = nil, nil
	s.mu.Unlock()
	s.tell(c, others, p.outcome, children, p.note)
}

// tell tells other processes and threads of this one how a round has ended. The calling thread c needs no signal.
func (s *station) tell(c *comer, threads []*comer, result outcome, processes []place, v []byte) {
	for _, p := range processes {
		_ = s.objects.memory.Signal(int(p.member), p.slot, v)
	}
	s.mu.Lock()
	for _, to := range threads {
		to.ended, to.outcome = true, result
	}
	s.mu.Unlock()
	for _, to := range threads {
		if to == c {
			c.knows = true
		} else {
			s.signal(to, noteTold)
		}
	}
}

// roundNote is the size of a note that tells how a round has ended: note, status, two bytes, round, value, call.
const roundNote = 8 + 8 + callBytes

// roundValue returns the note for an answer.
func roundValue(got *answer) []byte {
	v := make([]byte, roundNote)
	v[0], v[1] = byte(noteRound), byte(got.status)
	setWord(v, 4, got.round)
	copy(v[8:], got.value[:])
	got.call.put(v, 16)
	return v
}

// isRound reports whether a signal tells how a round has ended.
func isRound(v []byte) bool { return len(v) == roundNote && note(v[0]) == noteRound }

// outcomeOf returns the outcome in a note.
func outcomeOf(v []byte) outcome {
	in := value(v[8:16])
	if status(v[1]) == mismatch {
		return outcome{err: fmt.Errorf("%w: %v, and %v", ErrMismatch, gatheringAt(v, 16), gatheringAt(in[:], 0))}
	}
	return outcome{value: in}
}
