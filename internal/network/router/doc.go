// Package router is the router: by it one process reaches the memory of all ranks. It opens
// the transports of the process, chooses the path of every transfer and atomic from what the
// transports can do, and serves the memory of this process to other ranks.
//
// The layers above use locations, which [Router.Locate] finds, and paths, which
// [Router.Between] chooses and [Router.Carry] uses. They know no transport.
//
// # Paths
//
// Loads and stores copy memory that this process has mapped. The kernel copies registered
// memory of ranks on the same host, at the request of the initiator. The windows of MPI carry
// other transfers if they serve the pair, and otherwise the agents, which reach every member.
// The agent of its source carries out a copy between two members whose memory this process
// does not reach.
//
// Atomics are instructions of a CPU, unless one transport carries out all atomics of the run.
//
// # Waiting
//
// Windows of MPI may wait for the peer in the call that begins an operation (see
// fabric.Abilities). [Router.Carry] then waits, too. [Router.Start] never waits: goroutines
// that serve peers use it.
package router
