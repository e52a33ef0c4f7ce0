// Package endpoint chooses the addresses and ports of this host at which other processes reach
// this one.
//
//	choice, err := endpoint.Parse("eth0,10.1.0.0/16", "40000-40099")
//	…
//	addrs, err := choice.Addrs()
//	…
//	sockets, err := choice.Listen(addrs)
//
// A process listens only at the addresses that it publishes.
package endpoint
