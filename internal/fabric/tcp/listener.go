package tcp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/goacp/goacp/internal/endpoint"
)

// Listener is the sockets at which the agent of this process will be reached. It
// exists before the agent, since members must tell each other their addresses
// before they know each other. Connections wait in the kernel until New.
type Listener struct {
	sockets []*net.TCPListener
	once    sync.Once
	err     error // of the one Close, after once
}

// Listen opens a socket at each of addrs, at ports that choice allows, and nowhere else.
func Listen(choice endpoint.Choice, addrs []netip.Addr) (*Listener, error) {
	sockets, err := choice.Listen(addrs)
	if err != nil {
		return nil, fmt.Errorf("agent cannot listen: %w", err)
	}
	return &Listener{sockets: sockets}, nil
}

// Addrs returns the addresses of the sockets, in the order of those given to Listen.
func (l *Listener) Addrs() []netip.AddrPort {
	addrs := make([]netip.AddrPort, len(l.sockets))
	for i, s := range l.sockets {
		a := s.Addr().(*net.TCPAddr).AddrPort()
		addrs[i] = netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	}
	return addrs
}

// Close closes the sockets. Only the owner of a listener that was not given to
// New needs to call it; further calls return what the first did.
func (l *Listener) Close() error {
	l.once.Do(func() {
		for _, s := range l.sockets {
			l.err = errors.Join(l.err, s.Close())
		}
	})
	return l.err
}
