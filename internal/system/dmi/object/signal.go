package object

import (
	"context"
	"errors"

	"github.com/goacp/goacp/internal/ground/activity"
)

// note is the first byte of a signal.
type note byte

// The notes. The comments say what follows.
const (
	noteGranted  note = iota + 1 // the thread owns the mutex; its grant
	noteFollowed                 // the waiter that follows in the queue
	notePopped                   // the thread has left the queue of the condition variable, and has to name its successor there
	noteNoMutex                  // the mutex of a condition variable does not exist: the kind of what is there, and how many threads of the chain follow
	noteRound                    // a round of the barrier has ended
	noteSend                     // the thread is to send what threads of its process have queued for the barrier
	noteTold                     // the thread has its outcome of the barrier
)

var errSignal = errors.New("object: a signal that no process sends")

// entry is a thread in a queue: its slot, and its successor, once that is known.
type entry struct {
	slot     Slot
	next     waiter
	followed bool
}

// wait returns the next signal to the thread at an object that does not name its successor. After an error, signals may be on the way to the slot,
// which is not used any more.
func (e *entry) wait(ctx context.Context, addr int64, why activity.Reason) (note, []byte, error) {
	for {
		v, err := e.slot.Wait(ctx, addr, why)
		if err != nil {
			return 0, nil, err
		}
		if len(v) < 2 {
			return 0, nil, errSignal
		}
		if note(v[0]) != noteFollowed {
			return note(v[0]), v[1:], nil
		}
		if err := e.follow(v); err != nil {
			return 0, nil, err
		}
	}
}

// follow notes the successor of the thread.
func (e *entry) follow(v []byte) error {
	if len(v) != 1+waiterBytes || note(v[0]) != noteFollowed || e.followed {
		return errSignal
	}
	e.next, e.followed = waiterAt(v, 1), true
	return nil
}

// successor returns the successor of the thread. There is one: if it is not known yet, its signal is on the way.
func (e *entry) successor() (waiter, error) {
	if !e.followed {
		v, err := e.slot.Wait(context.Background(), 0, activity.For(activity.Answer))
		if err != nil {
			return waiter{}, err
		}
		if err := e.follow(v); err != nil {
			return waiter{}, err
		}
	}
	return e.next, nil
}

// signal sends a note of a byte to a place.
func (o *Objects) signal(to place, n note, about byte) error {
	return o.memory.Signal(int(to.member), to.slot, []byte{byte(n), about})
}

// tellFollowed sends the thread at a place its successor.
func (o *Objects) tellFollowed(to place, next waiter) error {
	v := make([]byte, 1+waiterBytes)
	v[0] = byte(noteFollowed)
	next.put(v, 1)
	return o.memory.Signal(int(to.member), to.slot, v)
}

// asByte is 1 for true.
func asByte(x bool) byte {
	if x {
		return 1
	}
	return 0
}
