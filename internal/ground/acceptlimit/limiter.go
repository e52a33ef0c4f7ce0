package acceptlimit

import (
	"net"
	"sync"
	"time"
)

const (
	// Places is the number of callers that a limiter holds. It bounds the descriptors and the
	// memory that callers can take.
	Places = 256

	// minStay is how long the limiter does not evict a caller. Members that come at the same
	// time share the processors of this process.
	minStay = time.Second

	// suspectStay is minStay for callers of a source of which many have failed.
	suspectStay = 10 * time.Millisecond

	// manyFailures is the number of failed callers that makes a source suspicious.
	manyFailures = 16
)

// Limiter holds the callers of one process that have not proved themselves yet. It is safe for
// concurrent use.
type Limiter struct {
	uids uidFinder

	mu      sync.Mutex
	inside  int
	sources map[source]*queue
	free    chan struct{} // capacity 1: a place has become free
	closed  bool
}

// queue is what a limiter knows about a source that has callers inside.
type queue struct {
	callers  []*caller // in the order in which they came
	failures int
}

// caller is one connection that has a place.
type caller struct {
	conn net.Conn
	from source
	came time.Time
}

// New returns a limiter without callers.
func New() *Limiter {
	return &Limiter{sources: make(map[source]*queue), free: make(chan struct{}, 1)}
}

// Enter gives c a place. It may evict another caller, whose connection it closes. The caller
// of Enter must call leave once, when c has proved itself or failed to. If all places are
// taken by callers that have just come, Enter blocks, for a second at most.
func (l *Limiter) Enter(c *net.TCPConn) (leave func(proved bool)) {
	return l.enter(c, l.sourceOf(c))
}

func (l *Limiter) enter(conn net.Conn, from source) (leave func(proved bool)) {
	c := &caller{conn: conn, from: from}
	for {
		wait := l.try(c)
		if wait == 0 {
			return func(proved bool) { l.leave(c, proved) }
		}
		timer := time.NewTimer(wait)
		select {
		case <-l.free:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// try gives c a place. If there is none, it returns how long there will be none.
func (l *Limiter) try(c *caller) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.closed {
		c.conn.Close()
		return 0
	}
	if l.inside >= Places {
		if wait = l.evict(c.from, now); wait > 0 {
			return wait
		}
	}
	q := l.sources[c.from]
	if q == nil {
		q = new(queue)
		l.sources[c.from] = q
	}
	c.came = now
	q.callers = append(q.callers, c)
	l.inside++
	return 0
}

// evict closes the oldest connection of the source that has most. If that connection is too
// new, evict returns how long it will be. The caller holds mu, and there are callers.
func (l *Limiter) evict(newcomer source, now time.Time) (wait time.Duration) {
	var longest *queue
	for from, q := range l.sources {
		// Callers of the own user stay as long as there are others.
		if from.own && !newcomer.own && len(l.sources) > 1 {
			continue
		}
		if longest == nil || len(q.callers) > len(longest.callers) {
			longest = q
		}
	}
	oldest := longest.callers[0]
	safe := minStay
	if longest.failures >= manyFailures {
		safe = suspectStay
	}
	if age := now.Sub(oldest.came); age < safe {
		return safe - age
	}
	oldest.conn.Close()
	l.remove(oldest, false)
	return 0
}

// Evict evicts one caller, because the process is short of descriptors. Does not block.
func (l *Limiter) Evict() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inside > 0 {
		l.evict(source{own: true}, time.Now())
	}
}

func (l *Limiter) leave(c *caller, proved bool) {
	l.mu.Lock()
	l.remove(c, proved)
	l.mu.Unlock()
	select {
	case l.free <- struct{}{}:
	default:
	}
}

// remove takes away the place of c, if it has one. The caller holds mu.
func (l *Limiter) remove(c *caller, proved bool) {
	q := l.sources[c.from]
	if q == nil {
		return
	}
	for i, other := range q.callers {
		if other != c {
			continue
		}
		q.callers = append(q.callers[:i], q.callers[i+1:]...)
		l.inside--
		if proved {
			q.failures /= 2
		} else {
			q.failures++
		}
		break
	}
	if len(q.callers) == 0 {
		delete(l.sources, c.from)
	}
}

// Close evicts all callers, and every later one. Does not block.
func (l *Limiter) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, q := range l.sources {
		for _, c := range q.callers {
			c.conn.Close()
		}
	}
	l.uids.close()
}
