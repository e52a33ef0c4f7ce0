package endpoint

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Listen opens a socket at each of addrs, at ports that the choice allows. If no socket can be opened at an
// address, Listen leaves the address out, unless it is the last one or the user has chosen it. If the
// loopback interface is down, Listen brings it up. If this process may not do that, loopback addresses fail;
// other addresses still work, because other hosts reach them. The caller closes the sockets. Errors name the
// option that is too narrow.
func (c Choice) Listen(addrs []netip.Addr) ([]*net.TCPListener, error) {
	var sockets []*net.TCPListener
	var failures []error
	down := raiseLoopback()
	for _, a := range addrs {
		if down != nil && a.IsLoopback() {
			failures = append(failures, down)
			continue
		}
		socket, err := c.listen(a)
		if err == nil {
			sockets = append(sockets, socket)
			continue
		}
		failures = append(failures, err)
	}
	switch {
	case len(addrs) == 0:
		return nil, errNoAddress
	case len(sockets) == 0 || c.Explicit() && len(failures) > 0:
		for _, s := range sockets {
			s.Close()
		}
		return nil, errors.Join(failures...)
	}
	return sockets, nil
}

// listen opens a socket at one address.
func (c Choice) listen(a netip.Addr) (*net.TCPListener, error) {
	if c.first == 0 {
		return listenAt(netip.AddrPortFrom(a, 0))
	}
	// Many processes of a host look for a port at the same time. They begin at different
	// ports, so that most of them find a free one at once.
	n := int(c.last) - int(c.first) + 1
	begin := rand.IntN(n)
	for i := range n {
		port := c.first + uint16((begin+i)%n)
		socket, err := listenAt(netip.AddrPortFrom(a, port))
		switch {
		case err == nil:
			return socket, nil
		case errors.Is(err, unix.EACCES):
			return nil, fmt.Errorf("option %s: port %d is not allowed to this user: %w", optionPortRange, port, err)
		case !errors.Is(err, unix.EADDRINUSE):
			return nil, err
		}
	}
	return nil, fmt.Errorf("option %s: all ports from %d to %d of %v are in use", optionPortRange, c.first, c.last, a)
}

// listenAt opens a socket at an address and a port. No process connects by several paths, so the socket is none of MPTCP, for which package
// net would try what the kernel has.
func listenAt(a netip.AddrPort) (*net.TCPListener, error) {
	network := "tcp"
	if a.Addr().Is4() {
		network = "tcp4"
	}
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	l, err := config.Listen(context.Background(), network, a.String())
	if err != nil {
		return nil, err
	}
	return l.(*net.TCPListener), nil
}
