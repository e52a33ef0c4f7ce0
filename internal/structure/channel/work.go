package channel

import "github.com/goacp/goacp/internal/memory/ring"

// work holds the outstanding requests and messages of one end of a channel.
type work struct {
	first, last *Request // queued, in order
	sent        *Request // long messages whose records are in the ring, in order
	lastSent    *Request
	closing     *Request // the request to free, when the last record is in the ring
	err         error    // the error that has made the channel unusable

	spinners int // waiters that poll
	sleepers int // waiters that are parked

	// Of an end that works by agents.
	fetching     bool        // the receiver waits for the bytes of a message
	inFlight     int         // messages to the other end's agent that are not answered
	batch        []byte      // records for that agent
	sentGoal     uint64      // the goal that the receiver has got
	losses       ring.Losses // losses that have been reported to the sender
	acknowledged uint64      // a loss whose acknowledgement is still to be sent to the receiver
}

// ensureWork returns the work of the channel, and makes it if there is none.
func (c *Channel) ensureWork() *work {
	if c.work == nil {
		c.work = new(work)
	}
	return c.work
}

// idle reports whether nothing is outstanding.
func (w *work) idle() bool {
	return w.first == nil && w.sent == nil && w.closing == nil && !w.fetching && w.err == nil &&
		w.spinners == 0 && w.sleepers == 0 && w.inFlight == 0 && w.acknowledged == 0
}

// queue adds a request to the queue.
func (w *work) queue(r *Request) {
	if w.first == nil {
		w.first = r
	} else {
		w.last.next = r
	}
	w.last = r
}

// shift takes the first request off the queue.
func (w *work) shift() {
	r := w.first
	w.first, r.next = r.next, nil
}

// addSent adds r, whose message the receiver has to copy, to the requests that have been sent, in
// the order of their records.
func (w *work) addSent(r *Request) {
	at := &w.sent
	if w.sent != nil && w.lastSent.end <= r.end {
		at = &w.lastSent.next
	}
	for *at != nil && (*at).end <= r.end {
		at = &(*at).next
	}
	if r.next, *at = *at, r; r.next == nil {
		w.lastSent = r
	}
}
