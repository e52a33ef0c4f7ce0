package acceptlimit

import (
	"net"
	"net/netip"
	"os"
)

// source is the origin of a caller: a user of this host, or another host.
type source struct {
	own  bool         // the user of this process, on this host
	uid  int64        // on this host; -1: unknown, or another host
	host netip.Prefix // another host
}

// sourceOf returns the source of the caller on c.
func (g *Limiter) sourceOf(c *net.TCPConn) source {
	local := c.LocalAddr().(*net.TCPAddr).AddrPort()
	remote := c.RemoteAddr().(*net.TCPAddr).AddrPort()
	local = netip.AddrPortFrom(local.Addr().Unmap(), local.Port())
	remote = netip.AddrPortFrom(remote.Addr().Unmap(), remote.Port())
	if remote.Addr().IsLoopback() || remote.Addr() == local.Addr() {
		if uid, ok := g.uids.find(remote, local); ok {
			return source{own: uid == uint32(os.Geteuid()), uid: int64(uid)}
		}
	}
	// A host with IPv6 usually has a network of 64 bits of its own.
	bits := 32
	if remote.Addr().Is6() {
		bits = 64
	}
	host, _ := remote.Addr().WithZone("").Prefix(bits) // the number of bits is right
	return source{uid: -1, host: host}
}
