package launch

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/endpoint"
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

// rendezvousAddrs lists the addresses at which the rendezvous listens and processes find
// it. That is loopback as long as the whole run is local. Otherwise it is what the user
// has chosen, or for each remote host the address of this host that packets to it leave
// from, and all others where a name is known to the remote shell only.
func rendezvousAddrs(choice endpoint.Choice, remote []string) ([]netip.Addr, error) {
	if len(remote) == 0 {
		return []netip.Addr{endpoint.Loopback()}, nil
	}
	all, err := choice.Addrs()
	if err != nil || choice.Explicit() {
		return all, err
	}
	var addrs []netip.Addr
	for _, host := range remote {
		addr, err := sourceAddr(host)
		if err != nil {
			for _, addr := range all {
				if !slices.Contains(addrs, addr) {
					addrs = append(addrs, addr)
				}
			}
			continue
		}
		// It is the best, also if another host has brought it in before.
		addrs = append([]netip.Addr{addr}, slices.DeleteFunc(addrs, func(a netip.Addr) bool { return a == addr })...)
	}
	return addrs, nil
}

// sourceAddr is the address of this host from which packets to host leave. No
// packet is sent: connecting a datagram socket only chooses the route.
func sourceAddr(host string) (netip.Addr, error) {
	conn, err := net.Dial("udp", net.JoinHostPort(host, "9"))
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), nil
}
