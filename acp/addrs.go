package acp

import (
	"net"
	"net/netip"
	"slices"

	"github.com/goacp/goacp/bridge"
)

// agentAddrs returns the addresses under which the others may find the agent of this
// process, best first: the one that leads to the launcher, then those of all
// interfaces. In a local run it is loopback.
func agentAddrs(toLauncher netip.Addr, local bool) ([]netip.Addr, error) {
	if local {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
	}
	var list []netip.Addr
	if toLauncher.IsValid() && !toLauncher.IsLoopback() {
		list = append(list, toLauncher.Unmap())
	}
	found, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		n, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		addr, ok := netip.AddrFromSlice(n.IP)
		addr = addr.Unmap()
		if ok && addr.IsGlobalUnicast() && !slices.Contains(list, addr) {
			list = append(list, addr)
		}
	}
	return list[:min(len(list), bridge.MaxAgents)], nil
}
