package endpoint

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"golang.org/x/sys/unix"
)

// Loopback returns the address at which only processes of this host reach a process.
func Loopback() netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, 1}) }

// raiseLoopback brings the loopback interface of this network namespace up. The kernel makes a namespace with
// the interface down, and then no process reaches another one of its host, at any address. The error contains
// a hint for the user.
func raiseLoopback() error {
	if isUp(usualLoopback) {
		return nil
	}
	devices, err := net.Interfaces()
	if err != nil {
		return nil // if the kernel does not report the state, the interface counts as up
	}
	for _, d := range devices {
		if d.Flags&net.FlagLoopback == 0 || d.Flags&net.FlagUp != 0 {
			continue
		}
		if err := raise(d.Name); err != nil {
			return fmt.Errorf("the loopback interface %s is down, by which the processes of a host reach each other: %w; `ip link set %s up` brings it up", d.Name, err, d.Name)
		}
		debuglog.Rendezvous.Printf("the loopback interface %s was down, and is up now", d.Name)
	}
	return nil
}

// usualLoopback is the name that the kernel gives to the loopback interface of a namespace, which has one. A list of all interfaces costs
// several times more than the flags of one.
const usualLoopback = "lo"

// isUp reports whether a device is a loopback interface that is up.
func isUp(device string) bool {
	up := false
	err := withFlags(device, func(_ int, request *unix.Ifreq) error {
		up = request.Uint16()&(unix.IFF_LOOPBACK|unix.IFF_UP) == unix.IFF_LOOPBACK|unix.IFF_UP
		return nil
	})
	return err == nil && up
}

// raise brings an interface up.
func raise(device string) error {
	return withFlags(device, func(socket int, request *unix.Ifreq) error {
		request.SetUint16(request.Uint16() | unix.IFF_UP)
		return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
	})
}

// withFlags calls f with a socket and a request that has the flags of an interface.
func withFlags(device string, f func(socket int, request *unix.Ifreq) error) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq(device)
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, request); err != nil {
		return err
	}
	return f(fd, request)
}
