package liveness

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// askTime is how long a host that is suspected may take to answer a new connection:
// the kernel asks at once, and a second time after a second.
const askTime = 2 * time.Second

// VanishedError says that the host at the other end of a connection does not answer.
type VanishedError struct {
	Addr    string
	Silence time.Duration // since its last sign of life
}

// Error names the host and how long it has been silent.
func (e *VanishedError) Error() string {
	return fmt.Sprintf("the host at %s has not answered for %v", e.Addr, e.Silence.Round(100*time.Millisecond))
}

// Watch calls vanished once, on another goroutine, when the host at the other end of c
// leaves data unacknowledged for longer than the limit and does not answer a new
// connection either. It takes no process that is stopped for one that is dead. An idle
// connection is left to the probes that [Tune] has set.
//
// vanished is not called after stop has returned. Neither blocks for long; stop must
// not be called by vanished. Watching ends by itself when c is closed.
func Watch(c *net.TCPConn, l Limits, vanished func(error)) (stop func()) {
	raw, err := c.SyscallConn()
	if err != nil { // c is closed
		return func() {}
	}
	w := &watch{conn: c, raw: raw, silence: l.silence(), vanished: vanished}
	r := roundOf(w.silence)
	r.add(w)
	return func() {
		r.remove(w)
		w.stop()
	}
}

// watch is one connection that is watched.
type watch struct {
	conn     *net.TCPConn
	raw      syscall.RawConn
	silence  time.Duration
	vanished func(error)

	mu      sync.Mutex // held while vanished is called
	due     time.Time  // of the first look since which an acknowledgement has always been due
	asking  bool       // whether the host is there
	stopped bool
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

// look reports whether an acknowledgement is due, and false when the connection is closed or
// not watched any more. If the limit is over it has another goroutine ask the host.
func (w *watch) look(r *reader) (due, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return false, false
	}
	if w.asking {
		return true, true
	}
	silent, err := w.silent(r)
	if err != nil {
		return false, false
	}
	if silent >= w.silence {
		w.asking = true
		go w.ask()
	}
	return silent > 0, true
}

// ask asks the host whether it is there, and reports it if it is not.
func (w *watch) ask() {
	there := answers(w.conn.RemoteAddr())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking = false
	if there || w.stopped {
		return
	}
	// The acknowledgement may have come while the host was asked.
	if silent, err := w.silent(newReader()); err == nil && silent >= w.silence {
		w.stopped = true
		w.vanished(&VanishedError{Addr: w.conn.RemoteAddr().String(), Silence: silent})
	}
}

// silent returns for how long something has been waiting for an acknowledgement, 0 if
// nothing is.
func (w *watch) silent(r *reader) (time.Duration, error) {
	info, err := r.of(w.raw)
	if err != nil {
		return 0, err
	}
	return w.overdue(unanswered(info), time.Now()), nil
}

// overdue corrects unanswered, which counts a pause before the data too once they have
// been sent again: nothing was due before the last look that saw nothing due.
func (w *watch) overdue(unanswered time.Duration, now time.Time) time.Duration {
	if unanswered == 0 {
		w.due = time.Time{}
		return 0
	}
	if w.due.IsZero() {
		w.due = now
	}
	return min(unanswered, now.Sub(w.due)+w.silence/looks)
}

// unanswered returns for how long the peer's kernel has sent no acknowledgement
// although one is due: for data, or for a probe of its receive window. A window that
// is full is no reason, as long as the probes of it are acknowledged.
func unanswered(info *unix.TCPInfo) time.Duration {
	if info.Unacked == 0 && info.Probes == 0 {
		return 0
	}
	// Data sent after a long pause are due from then on, not from the last sign of
	// life before the pause.
	since := info.Last_ack_recv
	if info.Probes == 0 && info.Retransmits == 0 {
		since = min(since, info.Last_data_sent)
	}
	return time.Duration(since) * time.Millisecond
}

// answers reports whether the host at addr accepts or refuses a connection, which its
// kernel does whatever its processes are doing. It confirms a suspicion, because
// kernels before Linux 6.6 drop data for which they have no memory without a word.
func answers(addr net.Addr) bool {
	c, err := net.DialTimeout(addr.Network(), addr.String(), askTime)
	if err == nil {
		c.Close()
		return true
	}
	return errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.ECONNRESET)
}
