package object

// place is a slot of a process.
type place struct{ member, slot uint32 }

// waiter is a thread in a queue.
type waiter struct {
	place
	number uint32 // of the thread
}

// Sizes in bytes.
const (
	placeBytes  = 8
	waiterBytes = 12
	threadBytes = 8
)

func placeAt(b []byte, at int) place { return place{word(b, at), word(b, at+4)} }

func (p place) put(b []byte, at int) {
	setWord(b, at, p.member)
	setWord(b, at+4, p.slot)
}

func waiterAt(b []byte, at int) waiter { return waiter{placeAt(b, at), word(b, at+8)} }

func (w waiter) put(b []byte, at int) {
	w.place.put(b, at)
	setWord(b, at+8, w.number)
}

// thread is a thread as objects name their owners.
type thread struct{ member, number uint32 }

func threadAt(b []byte, at int) thread { return thread{word(b, at), word(b, at+4)} }

func (t thread) put(b []byte, at int) { place{t.member, t.number}.put(b, at) }

// queue is the queue of threads in a mutex or a condition variable:
//
//	 5  number of inline threads
//	16  count of all threads
//	20  place of the last one
//	28  the inline threads, which are the first of the queue
//
// The queue has room for some inline threads. A thread that finds more than these before it, or no room, is chained:
// the thread before it learns its place by a signal. So the object does not know the first thread after the last
// inline one has left. The thread that has left last knows it, and has to name it (name).
type queue struct {
	b    []byte
	room int
}

const (
	inlineAt = 5
	countAt  = 16
	lastAt   = 20
	firstAt  = 28
)

func (q queue) count() uint32     { return word(q.b, countAt) }
func (q queue) setCount(n uint32) { setWord(q.b, countAt, n) }

// inline returns the number of inline threads. A program may have overwritten it.
func (q queue) inline() int { return min(int(q.b[inlineAt]), q.room) }

// unknown reports whether there are threads of which the object does not know the first.
func (q queue) unknown() bool { return q.inline() == 0 && q.count() != 0 }

// push appends a thread. If it is chained, push returns the place of the thread before it.
func (q queue) push(w waiter) (before place, chained bool) {
	n := q.inline()
	if chained = uint32(n) != q.count() || n == q.room; chained {
		before = placeAt(q.b, lastAt)
	} else {
		w.put(q.b, firstAt+n*waiterBytes)
		q.b[inlineAt] = byte(n + 1)
	}
	w.place.put(q.b, lastAt)
	q.setCount(q.count() + 1)
	return before, chained
}

// extend appends threads that are chained behind the last one of the queue already.
func (q queue) extend(n uint32, last place) {
	q.setCount(q.count() + n)
	last.put(q.b, lastAt)
}

// name names the first thread of a queue in which it is unknown.
func (q queue) name(w waiter) {
	w.put(q.b, firstAt)
	q.b[inlineAt] = 1
}

// pop takes the first thread out, which is known. If follows, that thread knows or learns the new first one alone.
func (q queue) pop() (w waiter, follows bool) {
	w = waiterAt(q.b, firstAt)
	n := q.inline() - 1
	copy(q.b[firstAt:], q.b[firstAt+waiterBytes:firstAt+(n+1)*waiterBytes])
	q.b[inlineAt] = byte(n)
	q.setCount(q.count() - 1)
	return w, q.unknown()
}

// chain is the threads of a queue that are to enter another one.
type chain struct {
	known []waiter // the first ones, at least one
	count uint32
	last  place
}

// maxKnown is the greatest number of threads of a chain that are known.
const maxKnown = 2

// chainBytes is the size of a chain: number of known threads, count, last, known threads.
const chainBytes = 4 + 4 + placeBytes + maxKnown*waiterBytes

func (c chain) put(b []byte) {
	setWord(b, 0, uint32(len(c.known)))
	setWord(b, 4, c.count)
	c.last.put(b, 8)
	for i, w := range c.known {
		w.put(b, 16+i*waiterBytes)
	}
}

// chainAt returns the chain in b. It reports whether there is one: b may come from another process.
func chainAt(b []byte) (c chain, ok bool) {
	n := word(b, 0)
	c = chain{count: word(b, 4), last: placeAt(b, 8)}
	if n == 0 || n > maxKnown || n > c.count {
		return c, false
	}
	for i := range int(n) {
		c.known = append(c.known, waiterAt(b, 16+i*waiterBytes))
	}
	return c, true
}

// takeAll takes all threads out of a queue whose first thread is known.
func (q queue) takeAll() chain {
	c := chain{count: q.count(), last: placeAt(q.b, lastAt)}
	for i := range q.inline() {
		c.known = append(c.known, waiterAt(q.b, firstAt+i*waiterBytes))
	}
	q.b[inlineAt] = 0
	q.setCount(0)
	return c
}
