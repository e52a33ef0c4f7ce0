package liveness

import (
	"context"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// retryMax bounds the time between two attempts of the kernel to have data, or the
// window of a receiver that is full, acknowledged. Without it the attempts become as
// rare as one in two minutes, and so does the notice of a vanished host.
const retryMax = 2 * time.Second

// KeepAlive returns the probes that find out about the host of an idle connection. From
// the first unanswered probe on they go on for the whole limit of silence, because the
// cable may have been pulled just before it.
func (l Limits) KeepAlive() net.KeepAliveConfig {
	silence := l.silence()
	interval := max(silence/8, time.Second)
	return net.KeepAliveConfig{
		Enable: true, Idle: max(silence/4, time.Second), Interval: interval,
		Count: max(int((silence+interval-1)/interval), 3),
	}
}

// Tune sets the options by which the kernel notices that the host at the other end of
// c has vanished while the connection is idle. Does not block.
func Tune(c *net.TCPConn, l Limits) error {
	if err := c.SetKeepAliveConfig(l.KeepAlive()); err != nil {
		return fmt.Errorf("cannot set keep-alive probes: %w", err)
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(fd uintptr) {
		// Before Linux 6.15 there is no such option: there, a host that vanishes while a
		// window has been full for long is noticed later.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_RTO_MAX_MS, int(retryMax.Milliseconds()))
	})
}

// Dial connects to addr, host:port, and tunes the connection. It waits no longer than
// the limit for the kernel there, or until ctx ends; whether the process there is
// awake makes no difference.
func Dial(ctx context.Context, addr string, l Limits) (*net.TCPConn, error) {
	d := net.Dialer{Timeout: l.connect(), KeepAliveConfig: l.KeepAlive()}
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	tcp := c.(*net.TCPConn)
	if err := Tune(tcp, l); err != nil {
		c.Close()
		return nil, err
	}
	return tcp, nil
}
