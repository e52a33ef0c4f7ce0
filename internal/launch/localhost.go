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

// routable lists the addresses of this host that other hosts may reach, those of
// version 4 first.
func (l *localNames) routable() []netip.Addr {
	var usable []netip.Addr
	for _, a := range l.addrs {
		if !a.IsLoopback() && !a.IsLinkLocalUnicast() && !a.IsMulticast() {
			usable = append(usable, a)
		}
	}
	slices.SortStableFunc(usable, func(a, b netip.Addr) int {
		return a.BitLen() - b.BitLen()
	})
	return usable
}

// rendezvousListen is the address that the rendezvous listens on: loopback as
// long as the whole run is local.
func rendezvousListen(remote []string) string {
	if len(remote) == 0 {
		return "127.0.0.1:0"
	}
	return ":0"
}

// rendezvousAddrs lists the addresses by which processes find a rendezvous that
// listens on port: for each remote host the address of this host that packets
// to it leave from, and all others where a name is known to the remote shell only.
func (l *localNames) rendezvousAddrs(remote []string, port uint16) []string {
	if len(remote) == 0 {
		return []string{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port).String()}
	}
	var addrs []netip.Addr
	unknown := false
	for _, host := range remote {
		addr, err := sourceAddr(host)
		if err != nil {
			unknown = true
			continue
		}
		if !slices.Contains(addrs, addr) {
			addrs = append(addrs, addr)
		}
	}
	if unknown {
		for _, addr := range l.routable() {
			if !slices.Contains(addrs, addr) {
				addrs = append(addrs, addr)
			}
		}
	}
	list := make([]string, len(addrs))
	for i, addr := range addrs {
		list[i] = netip.AddrPortFrom(addr, port).String()
	}
	return list
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
