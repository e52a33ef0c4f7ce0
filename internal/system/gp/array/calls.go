package array

import (
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
)

// callsWidth bounds the messages of one operation that are in flight at the same time.
const callsWidth = 64

// longAnswer is the length from which on the memory of an answer is used again.
const longAnswer = 1 << 10

// answerMemory has room for the longest answer.
type answerMemory [statusSize + maxPlaces*pairBytes + maxInline]byte

// answers is memory that no message uses. A get of one short element needs memory for a long
// reply, since the caller does not have the size of the element.
var answers = sync.Pool{New: func() any { return new(answerMemory) }}

// calls is the messages of one operation, whose replies one goroutine takes in order.
type calls struct {
	sys   *System
	queue []*call
	spent []*answerMemory // of answers that have been taken
}

// call is one message. It implements fabric.Batched.
type call struct {
	sys    *System
	member int // the rank that replies
	answer []byte
	memory *answerMemory // of answer, if it is long
	take   func(answer []byte) error

	arrived atomic.Bool
	n       uint64
	err     error
}

// Complete implements fabric.Completion.
func (c *call) Complete(n uint64, err error) {
	(*arrivals)(c.sys).CompleteAll([]fabric.Outcome{{Done: c, Old: n, Err: err}})
}

// Batch implements fabric.Batched: the messages of an operation to one owner share system calls.
func (c *call) Batch() fabric.Batch { return (*arrivals)(c.sys) }

// arrivals is a System whose messages have been answered.
type arrivals System

// CompleteAll implements fabric.Batch.
func (a *arrivals) CompleteAll(outcomes []fabric.Outcome) {
	cond := a.p.Cond
	cond.Lock()
	defer cond.Unlock()
	for _, o := range outcomes {
		c := o.Done.(*call)
		c.n, c.err = o.Old, o.Err
		c.arrived.Store(true)
	}
	cond.Broadcast()
}

var _ fabric.Batched = (*call)(nil)

// start sends a message to a rank, whose reply has at most size bytes. take gets the reply, in
// this call or in wait, and may keep it until release. If many messages are in flight, start waits
// for the first.
func (q *calls) start(rank, operation int, request []byte, size int, take func(answer []byte) error) error {
	if len(q.queue) == callsWidth {
		if err := q.first(); err != nil {
			return err
		}
	}
	c := &call{sys: q.sys, member: q.sys.p.Ranks.Member(rank), take: take}
	if size < longAnswer {
		c.answer = make([]byte, size)
	} else {
		c.memory = answers.Get().(*answerMemory)
		c.answer = c.memory[:size]
	}
	q.queue = append(q.queue, c)
	q.sys.p.Start(c.member, operation, request, c.answer, c)
	return nil
}

// first waits for the first message.
func (q *calls) first() error {
	c := q.queue[0]
	q.queue = q.queue[1:]
	if err := q.sys.p.Cond.Wait(activity.On(activity.Answer, c.member), c.arrived.Load); err != nil {
		return err
	}
	if c.memory != nil {
		q.spent = append(q.spent, c.memory)
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

// release frees the memory of the replies, if no message is in flight.
func (q *calls) release() {
	for _, memory := range q.spent {
		answers.Put(memory)
	}
	q.spent = nil
}
