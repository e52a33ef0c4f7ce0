package rendezvous

import (
	"net"
	"net/netip"
	"slices"

	"github.com/goacp/goacp/internal/ground/endpoint"
)

// listenAddrs returns the addresses at which the rendezvous listens. If the whole run is local and no guest comes
// from elsewhere, that is loopback. If guests may come from any host, it is no loopback address, from which processes
// would conclude that all others are on their host. Otherwise it is what the user has chosen, or for each remote host the address of this host from
// which packets to it leave. If only the remote shell can resolve the name of a host, all other addresses are
// added.
func listenAddrs(choice endpoint.Choice, remote []string, network bool) ([]netip.Addr, error) {
	if len(remote) == 0 && !network {
		return []netip.Addr{endpoint.Loopback()}, nil
	}
	all, err := choice.Addrs()
	if err != nil || choice.Explicit() {
		return all, err
	}
	if network {
		return all, nil
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
		// This address comes first, also if another host has added it before.
		addrs = append([]netip.Addr{addr}, slices.DeleteFunc(addrs, func(a netip.Addr) bool { return a == addr })...)
	}
	return addrs, nil
}

// sourceAddr returns the address of this host from which packets to host leave. It sends no
// packet: connecting a datagram socket only chooses the route.
func sourceAddr(host string) (netip.Addr, error) {
	conn, err := net.Dial("udp", net.JoinHostPort(host, "9"))
	if err != nil {
		return netip.Addr{}, err
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), nil
}
