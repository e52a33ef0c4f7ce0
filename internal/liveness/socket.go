package liveness

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// retryMax is the longest time between two attempts of the kernel to have data or a full
// window acknowledged. Without it the attempts become as rare as one in two minutes, and a
// vanished host is noticed as late.
const retryMax = 2 * time.Second

// KeepAlive returns the probes that notice the death of a host while the connection is idle.
// From the first probe without answer on, they go on for the whole limit of silence: the cable
// may have been pulled just before that probe.
func (l Limits) KeepAlive() net.KeepAliveConfig {
	silence := l.silence()
	interval := max(silence/8, time.Second)
	return net.KeepAliveConfig{
		Enable: true, Idle: max(silence/4, time.Second), Interval: interval,
		Count: max(int((silence+interval-1)/interval), 3),
	}
}

// Tune sets the socket options by which the kernel notices that the host at the other end of c
// has vanished while the connection is idle. Does not block.
func Tune(c *net.TCPConn, l Limits) error {
	if err := c.SetKeepAliveConfig(l.KeepAlive()); err != nil {
		return fmt.Errorf("cannot set keep-alive probes: %w", err)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) {
		// Linux has this option from 6.15 on. On older kernels it takes longer to notice that
		// a host has vanished while a window has been full for long.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_RTO_MAX_MS, int(retryMax.Milliseconds()))
	})
}

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
	c, err := d.DialContext(ctx, "tcp", addr)
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

// steps is the number of parts into which awakeFor divides its time.
const steps = 10

// awakeFor calls f on another goroutine when this process has been awake for d. A timer
// follows the clock: if the process is stopped, the timer fires as soon as the process goes
// on. So awakeFor divides d into parts, of which a stop takes one at most.
//
// f may be called once more after stop has returned.
func awakeFor(d time.Duration, f func()) (stop func()) {
	w := &awake{part: d / steps, left: steps, f: f}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.part, w.tick)
	return w.stop
}

// awake counts the parts of the time for which the process must be awake.
type awake struct {
	part time.Duration
	f    func()

	mu      sync.Mutex
	timer   *time.Timer
	left    int
	stopped bool
}

func (w *awake) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if w.left--; w.left == 0 {
		go w.f()
		return
	}
	w.timer.Reset(w.part)
}

func (w *awake) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}
