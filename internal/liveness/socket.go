package liveness

import (
	"fmt"
	"net"
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
