package acp

import (
	"net/netip"
	"os"
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/endpoint"
	"github.com/goacp/goacp/internal/fabric/tcp"
)

// listen opens the sockets of the agent of this process, at the addresses that the others
// are told and at no others. In a local run that is loopback.
func listen(toLauncher netip.Addr, local bool) (*tcp.Listener, error) {
	choice, err := endpoint.FromEnv(os.Getenv)
	if err != nil {
		return nil, err
	}
	addrs, err := agentAddrs(choice, toLauncher, local)
	if err != nil {
		return nil, err
	}
	return tcp.Listen(choice, addrs)
}

// agentAddrs returns the addresses under which the others may find the agent of this
// process, best first: those that the user has chosen, or the one that leads to the
// launcher and then those of all interfaces.
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
