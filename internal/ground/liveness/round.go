package liveness

import (
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// looks is how often a round checks its connections within the limit of silence while an acknowledgement is
// due on one of them. idleLooks is how often it checks them while none is due.
const (
	looks     = 8
	idleLooks = 4
)

// round checks all watched connections with one limit of silence. One timer serves them all. Waiting ranks
// have many idle connections, and a timer that wakes the process costs more than a check of all connections.
type round struct {
	silence time.Duration

	mu      sync.Mutex
	watched map[*watch]bool
	timer   *time.Timer // calls tick; nil before the first connection
	running bool        // the timer runs, or the connections are being checked
	reader  *reader
	list    []*watch // connections that are being checked
}

// rounds are the rounds of this process by limit. There are few limits.
var rounds struct {
	sync.Mutex
	of map[time.Duration]*round
}

// roundOf returns the round with a limit of silence.
func roundOf(silence time.Duration) *round {
	rounds.Lock()
	defer rounds.Unlock()
	if rounds.of == nil {
		rounds.of = map[time.Duration]*round{}
	}
	r := rounds.of[silence]
	if r == nil {
		r = &round{silence: silence, watched: map[*watch]bool{}, reader: newReader()}
		rounds.of[silence] = r
	}
	return r
}

func (r *round) add(w *watch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watched[w] = true
	if !r.running {
		r.running = true
		r.tickAfter(r.silence / looks)
	}
}

// tickAfter makes the timer call tick after d. The caller holds the lock.
func (r *round) tickAfter(d time.Duration) {
	if r.timer == nil {
		r.timer = time.AfterFunc(d, r.tick)
		return
	}
	r.timer.Reset(d)
}

func (r *round) remove(w *watch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.watched, w)
}

// tick is called by the timer.
func (r *round) tick() {
	due := r.turn()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case len(r.watched) == 0:
		r.running = false
	case due:
		r.tickAfter(r.silence / looks)
	default:
		r.tickAfter(r.silence / idleLooks)
	}
}

// turn checks each connection. It reports whether an acknowledgement is due on one. Only tick calls it.
func (r *round) turn() (due bool) {
	r.mu.Lock()
	r.list = r.list[:0]
	for w := range r.watched {
		r.list = append(r.list, w)
	}
	r.mu.Unlock()
	for _, w := range r.list {
		waits, open := w.look(r.reader)
		if !open {
			r.remove(w)
		}
		due = due || waits
	}
	clear(r.list)
	return due
}

// reader reads the kernel's information about sockets. It does not use [unix.GetsockoptTCPInfo], because that
// allocates memory.
type reader struct {
	info   unix.TCPInfo
	size   uint32 // of info, in bytes
	failed syscall.Errno
	read   func(fd uintptr) // readInfo
}

func newReader() *reader {
	r := &reader{}
	r.read = r.readInfo
	return r
}

// of returns the kernel's information about a socket. It is valid until the next call.
func (r *reader) of(socket syscall.RawConn) (*unix.TCPInfo, error) {
	if err := socket.Control(r.read); err != nil {
		return nil, err
	}
	if r.failed != 0 {
		return nil, r.failed
	}
	return &r.info, nil
}

func (r *reader) readInfo(fd uintptr) {
	r.size = uint32(unsafe.Sizeof(r.info))
	_, _, r.failed = unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&r.info)), uintptr(unsafe.Pointer(&r.size)), 0)
}
