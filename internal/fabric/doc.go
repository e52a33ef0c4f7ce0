// Package fabric defines how bytes and messages travel between two members of a run.
//
// A fabric is what connects two members: shared memory, windows of MPI or sockets. In each
// process a [Transport] moves bytes over one fabric, and a [Messenger] carries messages. They
// are values: a process has several, and a test may hold those of several members. Packages
// beside and beneath this one:
//
//   - segment: the memory that one member publishes, and its mapping by peers;
//   - shm: peers on the same host, by loads, stores and process_vm_readv;
//   - rma: processes that share a communicator of MPI, by windows of MPI-3;
//   - tcp: any two processes, through the agent of the one that owns the memory.
//
// Transports know members (numbered once, at start) and positions (an offset in
// the 44-bit address range of one member). Ranks, global addresses, ordering and
// handles belong to package acp. Package network chooses among transports, by their
// [Abilities].
//
// Vocabulary: the initiator issues an operation; the owner is the member whose
// memory is read or written; the agent is the part of the owner's process that
// serves initiators which cannot touch that memory themselves.
package fabric
