package object

// A mutex, in bytes:
//
//	 0  mark
//	 4  1 if it is locked
//	 5  its queue, with up to 3 inline threads (queue.go)
//	 8  the thread that has locked it

// C locks and unlocks mutexes and spin locks, too: lib/acp/dmi_lock.c.
//
//goacp:c GOACP_DMI_
const (
	lockBytes = MutexSize // as many as of a spin lock
	lockedAt  = 4
	ownerAt   = 8
	queuedAt  = countAt // number of threads in the queue, 0 in a spin lock
)

const mutexRoom = (MutexSize - firstAt) / waiterBytes

// mutex is a mutex or a spin lock in memory.
type mutex struct{ b []byte }

func (m mutex) queue() queue  { return queue{m.b, mutexRoom} }
func (m mutex) locked() bool  { return m.b[lockedAt] != 0 }
func (m mutex) owner() thread { return threadAt(m.b, ownerAt) }
func (m mutex) setOwner(t thread) {
	m.b[lockedAt] = 1
	t.put(m.b, ownerAt)
}

// holder reports how a thread relates to the lock.
func (m mutex) holder(t thread) status {
	switch {
	case !m.locked():
		return notLocked
	case m.owner() != t:
		return notOwner
	}
	return done
}

// enter makes a thread the owner of a free mutex, or puts it into the queue.
func (m mutex) enter(w waiter) (got bool, before place, chained bool) {
	if !m.locked() {
		m.setOwner(thread{w.member, w.number})
		return true, place{}, false
	}
	before, chained = m.queue().push(w)
	return false, before, chained
}

func initMutex(b, _, _ []byte) { initialise(b, mutexKind) }

// destroyMutex fails with locked.
func destroyMutex(b, _, out []byte) { destroyLock(b, out) }

// destroyLock ends a mutex or spin lock that is free.
func destroyLock(b, out []byte) {
	if (mutex{b}).locked() {
		out[0] = byte(locked)
		return
	}
	clear(b)
}

// checkMutex says whether the thread of the input is the owner.
func checkMutex(b, in, out []byte) { out[0] = byte(mutex{b}.holder(threadAt(in, 0))) }

// lockOut is the size of the result of entering a queue: status, 1 if the thread is chained, the place of the one
// before it, and of a mutex the thread that owns it.
const (
	lockOwnerAt = 2 + placeBytes
	lockOut     = lockOwnerAt + threadBytes
)

// lockMutex locks the mutex for the waiter of the input, or puts it into the queue.
func lockMutex(b, in, out []byte) {
	m, w := mutex{b}, waiterAt(in, 0)
	if m.holder(thread{w.member, w.number}) == done {
		out[0] = byte(owned)
		return
	}
	got, before, chained := m.enter(w)
	if !got {
		putQueued(out, before, chained)
		m.owner().put(out, lockOwnerAt)
	}
}

// putQueued is the result for a thread that is in a queue now.
func putQueued(out []byte, before place, chained bool) {
	out[0], out[1] = byte(waiting), asByte(chained)
	before.put(out, 2)
}

// tryLockMutex locks the mutex for the thread of the input if it is free.
func tryLockMutex(b, in, out []byte) { tryLock(b, in, out) }

// tryOut is the size of the result of tryLock: status, kind, the thread that owns the lock.
const (
	tryOwnerAt = 2
	tryOut     = tryOwnerAt + threadBytes
)

// tryLock locks a mutex or spin lock that is free. Otherwise the status is owned or locked.
func tryLock(b, in, out []byte) {
	m, t := mutex{b}, threadAt(in, 0)
	switch m.holder(t) {
	case notLocked:
		m.setOwner(t)
	case done:
		out[0] = byte(owned)
	default:
		out[0] = byte(locked)
		m.owner().put(out, tryOwnerAt)
	}
}

// Sizes of what goes into unlockMutex and comes back: the thread, 1 if it names the one that follows it, which is the
// rest; status, the grant of the new owner, the place of the new owner.
const (
	unlockIn  = threadBytes + 4 + waiterBytes
	unlockOut = 2 + placeBytes
)

// grant is what a new owner of a mutex learns of the threads behind it.
type grant byte

const (
	grantUnknown grant = 1 << iota // a thread follows it that the object does not know
	grantQueued                    // threads are in the queue
)

// grant returns the grant of a thread that becomes the owner.
func (q queue) grant() (g grant) {
	if q.unknown() {
		g |= grantUnknown
	}
	if q.count() != 0 {
		g |= grantQueued
	}
	return g
}

// unlockMutex unlocks the mutex, or makes the first thread of the queue its owner: the status is popped then.
func unlockMutex(b, in, out []byte) {
	m := mutex{b}
	if s := m.holder(threadAt(in, 0)); s != done {
		out[0] = byte(s)
		return
	}
	q := m.queue()
	if q.count() == 0 {
		m.b[lockedAt] = 0
		return
	}
	if q.unknown() {
		if in[threadBytes] == 0 {
			out[0] = byte(outOfRange)
			return
		}
		q.name(waiterAt(in, threadBytes+4))
	}
	next, _ := q.pop()
	m.setOwner(thread{next.member, next.number})
	out[0], out[1] = byte(popped), byte(q.grant())
	next.place.put(out, 2)
}

// joinOut is the size of the result of joinMutex: status, 1 if the first thread of the chain owns the mutex, its
// grant, and for each known thread 1 if it is chained and the place of the one before it.
const joinOut = 4 + maxKnown*(4+placeBytes)

// joinMutex appends the chain of the input to the queue, in order.
func joinMutex(b, in, out []byte) {
	m := mutex{b}
	c, ok := chainAt(in)
	if !ok {
		out[0] = byte(outOfRange)
		return
	}
	got := false
	for i, w := range c.known {
		mine, before, chained := m.enter(w)
		got = got || mine
		at := 4 + i*(4+placeBytes)
		out[at] = asByte(chained)
		before.put(out, at+4)
	}
	if rest := c.count - uint32(len(c.known)); rest != 0 {
		m.queue().extend(rest, c.last)
	}
	out[1] = asByte(got)
	if got {
		out[2] = byte(m.queue().grant())
	}
}
