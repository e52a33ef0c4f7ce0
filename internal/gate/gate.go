package gate

import (
	"net"
	"sync"
	"time"
)

const (
	// Places is the number of callers that a gate holds. It bounds descriptors and memory
	// that strangers can take.
	Places = 256

	// courtesy is how long a caller is safe from being turned away. Members that come
	// all at once have to share the processors of this process.
	courtesy = time.Second

	// suspicion is how long a caller is safe whose source has sent many that failed.
	suspicion = 10 * time.Millisecond

	// manyFailures is the number of failed callers that makes a source suspicious.
	manyFailures = 16
)

// Gate holds the callers of one process that have not proved themselves yet. It is safe
// for concurrent use.
type Gate struct {
	uids uidFinder

	mu      sync.Mutex
	inside  int
	sources map[source]*queue
	free    chan struct{} // capacity 1: a place has become free
	closed  bool
}

// queue is what a gate knows of one source, for as long as it has callers inside.
type queue struct {
	callers  []*caller // in the order in which they came
	failures int
}

// caller is one connection inside.
type caller struct {
	conn net.Conn
	from source
	came time.Time
}

// New returns a gate without callers.
func New() *Gate {
	return &Gate{sources: make(map[source]*queue), free: make(chan struct{}, 1)}
}

// Enter gives c a place, for which it may turn away another caller by closing its
// connection. The caller of Enter must call leave once, when c has proved itself or
// failed to. Blocks while all places are taken by callers that have just come, a second at
// most.
func (g *Gate) Enter(c *net.TCPConn) (leave func(proved bool)) {
	return g.enter(c, g.sourceOf(c))
}

func (g *Gate) enter(conn net.Conn, from source) (leave func(proved bool)) {
	c := &caller{conn: conn, from: from}
	for {
		wait := g.try(c)
		if wait == 0 {
			return func(proved bool) { g.leave(c, proved) }
		}
		timer := time.NewTimer(wait)
		select {
		case <-g.free:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// try gives c a place, or returns for how long none can be had.
func (g *Gate) try(c *caller) (wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if g.closed {
		c.conn.Close()
		return 0
	}
	if g.inside >= Places {
		if wait = g.turnAway(c.from, now); wait > 0 {
			return wait
		}
	}
	q := g.sources[c.from]
	if q == nil {
		q = new(queue)
		g.sources[c.from] = q
	}
	c.came = now
	q.callers = append(q.callers, c)
	g.inside++
	return 0
}

// turnAway closes the oldest connection of the source that has most, or returns how long
// that one is still safe. The caller holds mu, and the gate is not empty.
func (g *Gate) turnAway(newcomer source, now time.Time) (wait time.Duration) {
	var longest *queue
	for from, q := range g.sources {
		// Callers of the own user stay as long as there are others.
		if from.own && !newcomer.own && len(g.sources) > 1 {
			continue
		}
		if longest == nil || len(q.callers) > len(longest.callers) {
			longest = q
		}
	}
	oldest := longest.callers[0]
	safe := courtesy
	if longest.failures >= manyFailures {
		safe = suspicion
	}
	if age := now.Sub(oldest.came); age < safe {
		return safe - age
	}
	oldest.conn.Close()
	g.remove(oldest, false)
	return 0
}

// Relieve turns one caller away because the process is short of descriptors. Does not
// block.
func (g *Gate) Relieve() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside > 0 {
		g.turnAway(source{own: true}, time.Now())
	}
}

func (g *Gate) leave(c *caller, proved bool) {
	g.mu.Lock()
	g.remove(c, proved)
	g.mu.Unlock()
	select {
	case g.free <- struct{}{}:
	default:
	}
}

// remove takes c out if it is inside. The caller holds mu.
func (g *Gate) remove(c *caller, proved bool) {
	q := g.sources[c.from]
	if q == nil {
		return
	}
	for i, other := range q.callers {
		if other != c {
			continue
		}
		q.callers = append(q.callers[:i], q.callers[i+1:]...)
		g.inside--
		if proved {
			q.failures /= 2
		} else {
			q.failures++
		}
		break
	}
	if len(q.callers) == 0 {
		delete(g.sources, c.from)
	}
}

// Close turns away all callers, and every later one. Does not block.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, q := range g.sources {
		for _, c := range q.callers {
			c.conn.Close()
		}
	}
	g.uids.close()
}
