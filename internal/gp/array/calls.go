package array

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
)

// callsWidth bounds the messages of one operation that are under way at the same time.
const callsWidth = 64

// calls is the messages of one operation, whose answers one goroutine takes in order.
type calls struct {
	sys   *System
	queue []*call
}

// call is one message. It implements fabric.Completion.
type call struct {
	sys    *System
	answer []byte
	take   func(answer []byte) error

	arrived atomic.Bool
	n       uint64
	err     error
}

// Complete implements fabric.Completion.
func (c *call) Complete(n uint64, err error) {
	c.sys.p.Cond.Lock()
	defer c.sys.p.Cond.Unlock()
	c.n, c.err = n, err
	c.arrived.Store(true)
	c.sys.p.Cond.Broadcast()
}

var _ fabric.Completion = (*call)(nil)

// start sends a message to a rank, whose answer has size bytes at most. take gets the answer, in
// this call or in wait. If there are many messages under way, start waits for the first.
func (q *calls) start(rank, operation int, request []byte, size int, take func(answer []byte) error) error {
	if len(q.queue) == callsWidth {
		if err := q.first(); err != nil {
			return err
		}
	}
	c := &call{sys: q.sys, answer: make([]byte, size), take: take}
	q.queue = append(q.queue, c)
	q.sys.p.Start(q.sys.p.Ranks.Member(rank), operation, request, c.answer, c)
	return nil
}

// first waits for the first message.
func (q *calls) first() error {
	c := q.queue[0]
	q.queue = q.queue[1:]
	if err := q.sys.p.Cond.Wait(c.arrived.Load); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	return c.take(c.answer[:c.n])
}

// wait waits for all messages, also after a failure, and returns the first error.
func (q *calls) wait() (failed error) {
	for len(q.queue) > 0 {
		if err := q.first(); failed == nil {
			failed = err
		}
	}
	return failed
}
