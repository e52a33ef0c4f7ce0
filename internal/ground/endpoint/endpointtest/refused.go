// Package endpointtest has addresses for tests.
package endpointtest

import (
	"net/netip"
	"testing"

	"github.com/goacp/goacp/internal/ground/endpoint"
	"golang.org/x/sys/unix"
)

// Refused returns an address of this host that refuses connections until the test ends. A socket is bound to
// the port and never listens, so the kernel gives the port to no listener of another test. The port of a
// closed listener would be free for other tests.
func Refused(t testing.TB) netip.AddrPort {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: endpoint.Loopback().As4()}); err != nil {
		t.Fatal(err)
	}
	bound, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return netip.AddrPortFrom(endpoint.Loopback(), uint16(bound.(*unix.SockaddrInet4).Port))
}
