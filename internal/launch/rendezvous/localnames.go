package rendezvous

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// LocalNames decides which host names mean this host.
type LocalNames struct {
	Host  string       // its own name
	addrs []netip.Addr // of its interfaces
}

// NewLocalNames returns the name and the addresses of this host.
func NewLocalNames() (*LocalNames, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	l := &LocalNames{Host: host}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			l.addrs = append(l.addrs, prefix.Addr().Unmap())
		}
	}
	return l, nil
}

// IsLocal reports whether name means this host: localhost, a loopback address,
// its own name with or without domain, or an address of one of its interfaces.
func (l *LocalNames) IsLocal(name string) bool {
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.IsLoopback() || slices.Contains(l.addrs, addr.Unmap())
	}
	if strings.EqualFold(name, "localhost") || strings.EqualFold(name, l.Host) {
		return true
	}
	short, _, hasDomain := strings.Cut(l.Host, ".")
	nameShort, _, nameHasDomain := strings.Cut(name, ".")
	return hasDomain != nameHasDomain && strings.EqualFold(short, nameShort)
}
