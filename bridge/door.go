package bridge

import (
	"net"
	"sync"
	"time"
)

const (
	// maxStrangers is how many connections may wait for authentication.
	maxStrangers = 512
	// joinLimit is how long a process may take to authenticate itself and to
	// say who it is.
	joinLimit = 10 * time.Second
	// patience is how long a stranger is safe from being turned away in favour
	// of the next one when all places are taken.
	patience = time.Second
)

// door limits how many connections that have not yet authenticated themselves
// exist at once. When all places are taken, a newcomer waits until a place is
// free or until the one who came first has had his time: strangers who stay
// silent delay members but cannot keep them out.
type door struct {
	mu     sync.Mutex
	inside map[net.Conn]time.Time // when it came
	free   chan struct{}          // capacity 1: somebody has left
}

func newDoor() *door {
	return &door{inside: make(map[net.Conn]time.Time), free: make(chan struct{}, 1)}
}

// enter blocks while all places are taken, at most about patience.
func (d *door) enter(conn net.Conn) {
	for !d.tryEnter(conn) {
		if wait := d.turnAway(time.Now()); wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-d.free:
			case <-timer.C:
			}
			timer.Stop()
		}
	}
}

func (d *door) tryEnter(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.inside) >= maxStrangers {
		return false
	}
	d.inside[conn] = time.Now()
	return true
}

// turnAway closes the connection of the first comer if his time is up, and
// otherwise returns how long that will take.
func (d *door) turnAway(now time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	var first net.Conn
	for conn, came := range d.inside {
		if first == nil || came.Before(d.inside[first]) {
			first = conn
		}
	}
	if first == nil {
		return 0
	}
	if age := now.Sub(d.inside[first]); age < patience {
		return patience - age
	}
	delete(d.inside, first)
	first.Close()
	return 0
}

// leave gives the place back.
func (d *door) leave(conn net.Conn) {
	d.mu.Lock()
	delete(d.inside, conn)
	d.mu.Unlock()
	select {
	case d.free <- struct{}{}:
	default:
	}
}

// close turns everybody away.
func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for conn := range d.inside {
		conn.Close()
	}
}
