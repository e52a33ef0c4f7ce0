package router

import (
	"net/netip"
	"os"
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/endpoint"
)

// Listen opens the sockets of the agent at the addresses that this process tells the other
// members. In a local run these are loopback addresses. toLauncher is the address of this host
// on the way to the launcher. Does not block.
func Listen(toLauncher netip.Addr, local bool) (*endpoint.Listener, error) {
	choice, err := endpoint.FromEnv(os.Getenv)
	if err != nil {
		return nil, err
	}
	addrs, err := agentAddrs(choice, toLauncher, local)
	if err != nil {
		return nil, err
	}
	return endpoint.NewListener(choice, addrs)
}

// agentAddrs returns the addresses at which the other members may reach the agent of this
// process, best first: those that the user has chosen, or the one on the way to the launcher
// and then those of all interfaces.
func agentAddrs(choice endpoint.Choice, toLauncher netip.Addr, local bool) ([]netip.Addr, error) {
	if local {
		return []netip.Addr{endpoint.Loopback()}, nil
	}
	list, err := choice.Addrs()
	if err != nil {
		return nil, err
	}
	toLauncher = toLauncher.Unmap()
	if !choice.Explicit() && toLauncher.IsValid() && !toLauncher.IsLoopback() {
		list = slices.DeleteFunc(list, func(a netip.Addr) bool { return a == toLauncher })
		list = slices.Insert(list, 0, toLauncher)
	}
	return list[:min(len(list), bridge.MaxAgents)], nil
}
