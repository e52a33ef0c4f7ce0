package liveness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/ground/debuglog"
)

// askTime is how long a suspected host may take to answer a new connection. A further attempt
// every retryAsk makes it unlikely that the network loses all of them.
const (
	askTime  = 2 * time.Second
	retryAsk = askTime / 5
)

// VanishedError: the host at the other end of a connection does not answer.
type VanishedError struct {
	Addr    string
	Silence time.Duration // since its last sign of life
}

// Error names the host and how long it has been silent.
func (e *VanishedError) Error() string {
	return fmt.Sprintf("the host at %s has not answered for %v", e.Addr, e.Silence.Round(100*time.Millisecond))
}

// Watch calls vanished once, on another goroutine, when the host at the other end of c has
// left data unacknowledged for longer than the limit and does not answer a new connection
// either. A stopped process does not cause that. The probes that [Tune] has set watch an idle
// connection.
//
// vanished is not called after stop has returned. Neither blocks for long. vanished must not
// call stop. Watching ends by itself when c is closed.
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

// watch is a connection that is watched.
type watch struct {
	conn     *net.TCPConn
	raw      syscall.RawConn
	silence  time.Duration
	vanished func(error)

	mu      sync.Mutex // held while vanished is called
	due     time.Time  // of the first look since which an acknowledgement has always been due
	asking  bool       // a probe of the host is in progress
	stopped bool
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

// look reports whether an acknowledgement is due. It returns false if the connection is closed or not watched
// any more. If the limit is over, look has another goroutine probe the host.
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
		debuglog.Liveness.Printf("the host at %v has acknowledged nothing for %v: it is asked by a new connection", w.conn.RemoteAddr(), silent)
		go w.ask()
	}
	return silent > 0, true
}

// ask probes the host by a new connection, and reports the host if it does not answer.
func (w *watch) ask() {
	there := answers(w.conn.RemoteAddr())
	debuglog.Liveness.Printf("the host at %v has answered the question: %v", w.conn.RemoteAddr(), there)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking = false
	if there || w.stopped {
		return
	}
	// The acknowledgement may have come meanwhile.
	if silent, err := w.silent(newReader()); err == nil && silent >= w.silence {
		w.stopped = true
		debuglog.Liveness.Printf("the host at %v counts as dead: silent for %v, limit %v", w.conn.RemoteAddr(), silent, w.silence)
		w.vanished(&VanishedError{Addr: w.conn.RemoteAddr().String(), Silence: silent})
	}
}

// silent returns how long an acknowledgement has been due. It returns 0 if none is.
func (w *watch) silent(r *reader) (time.Duration, error) {
	info, err := r.of(w.raw)
	if err != nil {
		return 0, err
	}
	return w.overdue(unanswered(info), time.Now()), nil
}

// overdue corrects unanswered. If data were sent again, unanswered also counts the pause before the data. But
// no acknowledgement was due until the last check that found none due.
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

// unanswered returns for how long the peer's kernel has sent no acknowledgement although one
// is due, for data or for a probe of its receive window. A full window alone is no silence, as
// long as the kernel acknowledges the probes.
func unanswered(info *unix.TCPInfo) time.Duration {
	if info.Unacked == 0 && info.Probes == 0 {
		return 0
	}
	// If data are sent after a long pause, an acknowledgement is due from then on, not from
	// the last one before the pause.
	since := info.Last_ack_recv
	if info.Probes == 0 && info.Retransmits == 0 {
		since = min(since, info.Last_data_sent)
	}
	return time.Duration(since) * time.Millisecond
}

// answers reports whether the host at addr accepts or refuses a connection. Its kernel does that
// independently of its processes. The probe is needed because kernels before Linux 6.6 silently drop data for
// which they have no memory. If this process cannot connect, answers reports true.
func answers(addr net.Addr) bool {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	var d net.Dialer
	c, err := dialAgain(ctx, retryAsk, func(ctx context.Context) (net.Conn, error) {
		return d.DialContext(ctx, addr.Network(), addr.String())
	})
	if err == nil {
		c.Close()
		return true
	}
	return errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.ECONNRESET) || isShortage(err)
}
