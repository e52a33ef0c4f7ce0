// Package network is how one process reaches the memory of all ranks. It opens the transports
// of the process, chooses the path of every transfer and atomic from what the transports can
// do, and carries out the part that other ranks ask of this process.
//
// The layers above know places, which [Network.Locate] finds, and paths, which [Between]
// and [Network.Carry] choose and use. They know no transport.
//
// # Paths
//
// Memory that this process maps is copied by loads and stores. Registered memory of ranks
// on the same host is copied by the kernel, at the request of the initiator. All else is
// carried by a remote transport where there is one for the member, and otherwise by the
// members' agents, which reach every member. A copy between two members whose memory this
// process does not reach is carried out by the agent of its source.
//
// Atomics are instructions of a CPU, unless a transport is the only one that carries out
// atomics in the whole run.
//
// # Waiting
//
// A remote transport may wait for its peer in the call that begins an operation (see
// fabric.Abilities). [Network.Carry] then waits, too. [Network.Start] never waits: goroutines
// that serve peers use it.
package network
