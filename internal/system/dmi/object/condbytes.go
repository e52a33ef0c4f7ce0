package object

// A condition variable, in bytes:
//
//	 0  mark
//	 4  1 if all threads are to leave the queue as soon as the first one is known
//	 5  its queue, with up to 2 inline threads (queue.go)
//	 8  the address of the mutex of the threads that wait
//	52  how many threads are to leave the queue as soon as the first one is known

const (
	allAt     = 4
	mutexAt   = 8
	pendingAt = 52

	condRoom = (pendingAt - firstAt) / waiterBytes
)

// cond is a condition variable in memory.
type cond struct{ b []byte }

func (c cond) queue() queue        { return queue{c.b, condRoom} }
func (c cond) pending() uint32     { return word(c.b, pendingAt) }
func (c cond) setPending(n uint32) { setWord(c.b, pendingAt, n) }

func initCond(b, _, _ []byte) { initialise(b, condKind) }

// destroyCond fails with waiting, or with settling if threads that wait are about to leave the queue.
func destroyCond(b, _, out []byte) {
	c := cond{b}
	switch n := c.queue().count(); {
	case n == 0:
		clear(b)
	case b[allAt] != 0 || c.pending() == n:
		out[0] = byte(settling)
	default:
		out[0] = byte(waiting)
	}
}

// enterIn is the size of what goes into enterCond: the waiter, the address of the mutex.
const enterIn = 16 + 8

// enterCond puts a thread into the queue. The status is waiting or otherMutex.
func enterCond(b, in, out []byte) {
	c, at := cond{b}, double(in, 16)
	if c.queue().count() != 0 && double(b, mutexAt) != at {
		out[0] = byte(otherMutex)
		return
	}
	setDouble(b, mutexAt, at)
	before, chained := c.queue().push(waiterAt(in, 0))
	putQueued(out, before, chained)
}

// popOut is the size of what the operations that take threads out of the queue return: the status; if it is popped, 1
// if the thread has to name its successor; the address of the mutex; the chain. If the status is done, no thread is
// to leave now.
const popOut = 4 + 4 + 8 + chainBytes

// popCond takes the first thread out, or notes that it is to leave.
func popCond(b, _, out []byte) {
	c := cond{b}
	switch n := c.queue().count(); {
	case n == 0:
	case !c.queue().unknown():
		c.takeFirst(out)
	case c.pending() < n:
		c.setPending(c.pending() + 1)
	}
}

// popAllCond takes all threads out, or notes that they are to leave.
func popAllCond(b, _, out []byte) {
	c := cond{b}
	switch q := c.queue(); {
	case q.count() == 0:
	case q.unknown():
		b[allAt] = 1
	default:
		c.takeAll(out)
	}
}

// followCond names the first thread of the queue, and takes out the threads that were to leave.
func followCond(b, in, out []byte) {
	c := cond{b}
	if !c.queue().unknown() {
		out[0] = byte(outOfRange)
		return
	}
	c.queue().name(waiterAt(in, 0))
	switch {
	case b[allAt] != 0:
		c.takeAll(out)
	case c.pending() != 0:
		c.setPending(c.pending() - 1)
		c.takeFirst(out)
	}
}

// takeFirst takes the first thread out, which is known.
func (c cond) takeFirst(out []byte) {
	w, follows := c.queue().pop()
	out[0], out[1] = byte(popped), asByte(follows)
	setDouble(out, 8, double(c.b, mutexAt))
	chain{[]waiter{w}, 1, w.place}.put(out[16:])
}

// takeAll takes all threads out, of which the first is known.
func (c cond) takeAll(out []byte) {
	out[0] = byte(poppedAll)
	setDouble(out, 8, double(c.b, mutexAt))
	c.queue().takeAll().put(out[16:])
	c.b[allAt] = 0
	c.setPending(0)
}
