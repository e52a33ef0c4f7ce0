package liveness

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// retryMax is the longest time between two attempts of the kernel to have data or a full window acknowledged.
// Without it the interval grows to two minutes, and a vanished host is detected as late.
const retryMax = 2 * time.Second

// silentLimits is for how many limits of silence the kernel probes an idle connection without an answer
// before it ends the connection. The kernel does not probe by a new connection as [Watch] does, and a network
// that is back after a failure needs some more seconds, in which hosts resolve each other's addresses again.
// So Watch decides first. The kernel's decision is for connections that are not watched, and for stopped
// processes.
const silentLimits = 3

// KeepAlive returns the probes of an idle connection. Through them Watch detects that the host has vanished.
func (l Limits) KeepAlive() net.KeepAliveConfig {
	silence := l.silence()
	interval := max(silence/8, time.Second)
	return net.KeepAliveConfig{
		Enable: true, Idle: max(silence/4, time.Second), Interval: interval,
		Count: max(int((silentLimits*silence+interval-1)/interval), 3),
	}
}

// Tune sets the socket options by which the kernel probes c while the connection is idle, and to resend
// unacknowledged data often. Does not block.
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
