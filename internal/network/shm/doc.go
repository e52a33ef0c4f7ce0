// Package shm is the fabric between members on one host.
//
// A peer's library memory is mapped at the first operation on it and from then on
// reached by loads, stores and CPU atomics. Memory that the peer's program
// registered is reached with process_vm_readv and process_vm_writev where the
// kernel permits it; otherwise, and for atomics on it, operations complete with
// fabric.ErrNoPath and the caller turns to the peer's agent.
package shm
