package tcp

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
)

// Listener is the socket at which the agent of this process will be reached. It
// exists before the agent, since members must tell each other their addresses
// before they know each other. Connections wait in the kernel until New.
type Listener struct {
	socket *net.TCPListener
	once   sync.Once
	err    error // of the one Close, after once
}

// Listen opens a socket at a port that the system chooses: on 127.0.0.1 if local
// is true, otherwise on all addresses of the host.
func Listen(local bool) (*Listener, error) {
	var at *net.TCPAddr
	if local {
		at = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	}
	socket, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("agent cannot listen: %w", err)
	}
	return &Listener{socket: socket}, nil
}

// AddrPort returns the address of the socket. The address part is unspecified if
// the socket is reached at every address of the host.
func (l *Listener) AddrPort() netip.AddrPort {
	a := l.socket.Addr().(*net.TCPAddr).AddrPort()
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// Close closes the socket. Only the owner of a listener that was not given to
// New needs to call it; further calls return what the first did.
func (l *Listener) Close() error {
	l.once.Do(func() { l.err = l.socket.Close() })
	return l.err
}
