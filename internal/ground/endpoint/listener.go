package endpoint

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
)

// Listener is the sockets at which other processes reach this one. It exists before a server accepts
// connections, because members exchange their addresses first. Until then connections wait in the kernel.
type Listener struct {
	sockets []*Socket
	once    sync.Once
	err     error // of the first call of Close
}

// NewListener opens a socket at each of addrs, at ports that choice allows, and nowhere else.
// Does not block.
func NewListener(choice Choice, addrs []netip.Addr) (*Listener, error) {
	sockets, err := choice.Listen(addrs)
	if err != nil {
		return nil, fmt.Errorf("agent cannot listen: %w", err)
	}
	l := new(Listener)
	for _, s := range sockets {
		socket, e := newSocket(s)
		l.sockets = append(l.sockets, socket)
		err = errors.Join(err, e)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("agent cannot listen: %w", err)
	}
	return l, nil
}

// Sockets returns the sockets. They belong to the listener.
func (l *Listener) Sockets() []*Socket { return l.sockets }

// Addrs returns the addresses of the sockets, in the order of the addresses given to NewListener.
func (l *Listener) Addrs() []netip.AddrPort {
	addrs := make([]netip.AddrPort, len(l.sockets))
	for i, s := range l.sockets {
		a := s.Addr().(*net.TCPAddr).AddrPort()
		addrs[i] = netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
	}
	return addrs
}

// Close closes the sockets. If a server has taken the listener over, the server closes it.
// Further calls return what the first one has returned.
func (l *Listener) Close() error {
	l.once.Do(func() {
		for _, s := range l.sockets {
			l.err = errors.Join(l.err, s.Close())
		}
	})
	return l.err
}
