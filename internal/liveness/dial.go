package liveness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// retryDial is how long an attempt to connect may be silent before Dial makes another one
// besides. The kernel repeats the first packet of an attempt ever more rarely, the fifth time
// after some ten seconds. A network that loses packets, or was down for some of that time, would
// seem to be dead. A further attempt repeats its packets often again.
const retryDial = 1500 * time.Millisecond

// Dial connects to addr, host:port, and tunes the connection. It waits for the kernel at addr
// no longer than the limit, or until ctx ends. It makes no difference whether the process
// there is stopped. The time for which this process is stopped does not count.
func Dial(ctx context.Context, addr string, l Limits) (*net.TCPConn, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := l.connect()
	stop := awakeFor(limit, func() { cancel(fmt.Errorf("dial tcp %s: no answer within %v", addr, limit)) })
	defer stop()
	d := net.Dialer{KeepAliveConfig: l.KeepAlive()}
	c, err := dialAgain(ctx, retryDial, func(ctx context.Context) (net.Conn, error) {
		return d.DialContext(ctx, "tcp", addr)
	})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	tcp := c.(*net.TCPConn)
	if err := Tune(tcp, l); err != nil {
		c.Close()
		return nil, err
	}
	return tcp, nil
}

// attempt is the outcome of one call of dial.
type attempt struct {
	conn net.Conn
	err  error
}

// isShortage reports whether err says that this process cannot make one more connection.
func isShortage(err error) bool {
	for _, lack := range []error{unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.EADDRNOTAVAIL} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// dialAgain calls dial, and calls it again after every pause while no call has returned. It
// returns what the first one returns, and ends the others. A call that lacks resources of this
// process does not count while another one is under way. Every call ends soon after its context.
func dialAgain(ctx context.Context, pause time.Duration, dial func(context.Context) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	attempts := make(chan attempt)
	running := 0
	begin := func() {
		running++
		go func() {
			c, err := dial(ctx)
			attempts <- attempt{c, err}
		}()
	}
	begin()
	again := time.NewTicker(pause)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			begin()
		case first := <-attempts:
			if running > 1 && isShortage(first.err) {
				running-- // the others have what this one lacks
				continue
			}
			cancel()
			for range running - 1 {
				if late := <-attempts; late.err == nil {
					late.conn.Close()
				}
			}
			return first.conn, first.err
		}
	}
}
