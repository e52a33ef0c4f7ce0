package acp_test

import (
	"context"
	"net/netip"
	"os"
	"strconv"

	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// dial connects a process of the run to its rendezvous. One process dials at a time. cut ends the connection as the end of the
// process would.
func (r *elasticRun) dial(ctx context.Context, env bridge.Env) (boot bridge.Bootstrap, cut func(), err error) {
	r.dialing.Lock()
	defer r.dialing.Unlock()
	before, err := connectionsTo(r.server.Addrs()[0])
	if err != nil {
		return nil, nil, err
	}
	if boot, err = bridge.Dial(ctx, env, bridge.Identity{PID: os.Getpid(), Host: "test"}); err != nil {
		return nil, nil, err
	}
	after, err := connectionsTo(r.server.Addrs()[0])
	if err != nil {
		boot.Close()
		return nil, nil, err
	}
	return boot, func() {
		for port, fd := range after {
			if _, old := before[port]; !old {
				_ = unix.Shutdown(fd, unix.SHUT_RDWR)
			}
		}
	}, nil
}

// connectionsTo returns the descriptors of connections to an address, by their local ports: other goroutines close descriptors,
// which are used again.
func connectionsTo(addr netip.AddrPort) (map[int]int, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, err
	}
	fds := map[int]int{}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil {
			return nil, err
		}
		peer, err := unix.Getpeername(fd)
		if p, ok := peer.(*unix.SockaddrInet4); err != nil || !ok || netip.AddrPortFrom(netip.AddrFrom4(p.Addr), uint16(p.Port)) != addr {
			continue
		}
		local, err := unix.Getsockname(fd)
		if p, ok := local.(*unix.SockaddrInet4); err == nil && ok {
			fds[p.Port] = fd
		}
	}
	return fds, nil
}
