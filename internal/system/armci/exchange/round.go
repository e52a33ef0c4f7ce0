package exchange

import (
	"fmt"

	"github.com/goacp/goacp/internal/fabric"
)

// round is the state of an exchange on the member that collects the blobs.
type round struct {
	size, blob uint32
	all        []byte
	has        []bool // by index
	come       uint32
	waiting    []waiter
	taken      uint32 // members that have got the last part
}

// waiter is a request that waits for the blobs of other members.
type waiter struct {
	part  uint32
	reply []byte
	done  fabric.Completion
}

// outcomes in the first byte of an answer.
const (
	outcomeAll = iota
	outcomeMismatch
)

// Serve takes a request of another member, or of this process, as the Serve of an operation does.
// Does not block.
func (e *Exchange) Serve(r fabric.Request) (int, error) {
	if len(r.Reply) == 0 {
		return 0, ErrMismatch
	}
	h, blob, err := decode(r.Body)
	if err != nil {
		return 0, err
	}
	if h.size > e.most {
		return 0, fmt.Errorf("%w: %d ranks, of %d", ErrMismatch, h.size, e.most)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.rounds[h.key]
	if o == nil && h.part == 0 {
		o = &round{size: h.size, blob: h.blob}
		e.rounds[h.key] = o
	}
	if o == nil || !o.take(&h, blob) {
		r.Reply[0] = outcomeMismatch
		return 1, nil
	}
	if e.over {
		return 0, fabric.ErrClosed
	}
	if o.come < o.size {
		o.waiting = append(o.waiting, waiter{h.part, r.Reply, r.Later.Defer()})
		return 0, nil
	}
	for _, w := range o.waiting {
		w.done.Complete(uint64(o.answer(w.part, w.reply)), nil)
	}
	o.waiting = nil
	n := o.answer(h.part, r.Reply)
	if o.taken == o.size {
		delete(e.rounds, h.key)
	}
	return n, nil
}

// take takes the blob of a request for the first part. It reports whether the request belongs to
// this round.
func (o *round) take(h *head, blob []byte) bool {
	if h.size != o.size || h.blob != o.blob {
		return false
	}
	if h.part > 0 {
		return o.come == o.size && uint64(h.part)*(fabric.CallMax-1) < uint64(len(o.all))
	}
	if o.has == nil {
		o.has, o.all = make([]bool, o.size), make([]byte, uint64(o.size)*uint64(o.blob))
	}
	if o.has[h.index] {
		return false
	}
	o.has[h.index] = true
	o.come++
	copy(o.all[uint64(h.index)*uint64(o.blob):], blob)
	return true
}

// answer writes a part of the blobs to reply and returns the length of the answer.
func (o *round) answer(part uint32, reply []byte) int {
	reply[0] = outcomeAll
	from := uint64(part) * (fabric.CallMax - 1)
	n := copy(reply[1:], o.all[from:])
	if from+uint64(n) == uint64(len(o.all)) {
		o.taken++
	}
	return 1 + n
}

// Fail gives up all exchanges: the run is over. Waiting members detect this themselves. Does not
// block.
func (e *Exchange) Fail() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	clear(e.rounds)
}

// Forget resets the numbers of exchanges, so that all members begin again. No exchange is in
// progress.
func (e *Exchange) Forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.calls)
	clear(e.rounds)
}
