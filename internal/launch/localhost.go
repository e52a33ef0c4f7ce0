package launch

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// localNames decides which host names mean this host.
type localNames struct {
	host  string       // its own name
	addrs []netip.Addr // of its interfaces
}

// newLocalNames asks the system for its name and addresses.
func newLocalNames() (*localNames, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	l := &localNames{host: host}
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

// isLocal reports whether name means this host: localhost, a loopback address,
// its own name with or without domain, or an address of one of its interfaces.
func (l *localNames) isLocal(name string) bool {
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.IsLoopback() || slices.Contains(l.addrs, addr.Unmap())
	}
	if strings.EqualFold(name, "localhost") || strings.EqualFold(name, l.host) {
		return true
	}
	short, _, hasDomain := strings.Cut(l.host, ".")
	nameShort, _, nameHasDomain := strings.Cut(name, ".")
	return hasDomain != nameHasDomain && strings.EqualFold(short, nameShort)
}
