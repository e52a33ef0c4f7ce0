package liveness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// retryDial is how long an attempt to connect may stay unanswered before Dial makes another one besides. The
// kernel repeats the first packet of an attempt at growing intervals, the fifth time after some ten seconds.
// So a network that loses packets, or was down for part of that time, would seem to be dead. A further
// attempt starts with short intervals again.
const retryDial = 1500 * time.Millisecond

// Dial connects to addr, host:port, and tunes the connection. It waits for the kernel at addr no longer than
// the limit, or until ctx ends. It succeeds also if the process there is stopped, and if the host is
// unreachable at first because an interface is down for a moment. The time for which this process is stopped
// does not count.
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
		return nil, explain(context.Cause(ctx), err)
	}
	tcp := c.(*net.TCPConn)
	if err := Tune(tcp, l); err != nil {
		c.Close()
		return nil, err
	}
	return tcp, nil
}

// explain returns the reason why a dial has failed with err: cause, if the context has ended, and the missing
// route, if err is an outage.
func explain(cause, err error) error {
	var outage syscall.Errno
	switch {
	case cause == nil:
		return err
	case isOutage(err) && errors.As(err, &outage):
		return fmt.Errorf("%w: %w", cause, outage)
	}
	return cause
}

// attempt is the outcome of one call of dial.
type attempt struct {
	conn net.Conn
	err  error
}

// isOneOf reports whether err is one of a list.
func isOneOf(err error, list ...error) bool {
	return slices.ContainsFunc(list, func(target error) bool { return errors.Is(err, target) })
}

// isShortage reports whether err means that this process cannot make one more connection.
func isShortage(err error) bool {
	return isOneOf(err, unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.EADDRNOTAVAIL)
}

// isOutage reports whether err means that there is no route to the host now. An interface that is down for a
// moment causes that, too.
func isOutage(err error) bool {
	return isOneOf(err, unix.ENETDOWN, unix.ENETUNREACH, unix.EHOSTDOWN, unix.EHOSTUNREACH)
}

// dialAgain calls dial, and calls it again after every pause while no call has returned. It returns the
// result of the first call that returns, and ends the other calls. A call does not count if this process
// lacks resources while another call is in progress, or if there is no route to the host. If the context ends
// meanwhile, dialAgain returns the error of that call. Every call ends soon after its context.
func dialAgain(ctx context.Context, pause time.Duration, dial func(context.Context) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
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
	var outage error // of the last call, if there was no route to the host
	for running > 0 || ctx.Err() == nil {
		var over <-chan struct{}
		if running == 0 {
			over = ctx.Done()
		}
		select {
		case <-again.C:
			begin()
		case <-over:
		case a := <-attempts:
			running--
			switch {
			case isOutage(a.err):
				outage = a.err
			case running > 0 && isShortage(a.err):
			case outage != nil && ctx.Err() != nil && a.err != nil:
			default:
				cancel()
				closeLate(attempts, running)
				return a.conn, a.err
			}
		}
	}
	return nil, outage
}

// closeLate waits for the attempts in progress, and closes their connections.
func closeLate(attempts <-chan attempt, running int) {
	for range running {
		if a := <-attempts; a.err == nil {
			a.conn.Close()
		}
	}
}
