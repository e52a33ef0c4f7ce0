package signal

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
)

const (
	room     = 8  // signals in a queue
	shortMax = 31 // bytes of a signal in a queue
)

// queue is the signals to one slot, in the heap of its process. All processes of the host put signals there, and the thread that waits
// takes them.
type queue struct {
	events  wait.EventCount
	lock    futex.Mutex // of those that put signals
	put     uint32      // signals that were put; grows when the bytes of the signal are there
	taken   uint32      // signals that were taken; only the thread that waits changes it
	away    uint32      // signals of this host that travel as messages; lock guards it
	_       [48]byte
	signals [room]short
}

const queueBytes = uint64(unsafe.Sizeof(queue{}))

type short struct {
	size  uint8
	bytes [shortMax]byte
}

// give puts a signal into the queue, and reports whether it has. Otherwise the signal travels as a message, and so do those that follow it
// until it is taken: so signals stay in order. Fails if the run is over.
func (q *queue) give(over func() error, value []byte) (bool, error) {
	if err := q.lock.Lock(over); err != nil {
		return false, err
	}
	put := q.put
	fits := q.away == 0 && len(value) <= shortMax && put-atomic.LoadUint32(&q.taken) < room
	if fits {
		s := &q.signals[put%room]
		s.size = uint8(copy(s.bytes[:], value))
		atomic.StoreUint32(&q.put, put+1)
	} else {
		q.away++
	}
	q.lock.Unlock()
	if fits {
		q.events.Notify()
	}
	return fits, nil
}

// arrived records that a signal that had travelled as a message was taken.
func (q *queue) arrived(over func() error) error {
	if err := q.lock.Lock(over); err != nil {
		return err
	}
	q.away--
	q.lock.Unlock()
	return nil
}

// any reports whether the queue has a signal.
func (q *queue) any() bool { return atomic.LoadUint32(&q.put) != q.taken }

// take takes the next signal, if there is one.
func (q *queue) take() ([]byte, bool) {
	if !q.any() {
		return nil, false
	}
	s := &q.signals[q.taken%room]
	value := append(make([]byte, 0, shortMax), s.bytes[:min(s.size, shortMax)]...)
	atomic.StoreUint32(&q.taken, q.taken+1)
	return value, true
}

// reset forgets all signals. No signal is on the way.
func (q *queue) reset() { q.taken, q.away = atomic.LoadUint32(&q.put), 0 }
