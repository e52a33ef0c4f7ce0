// Package message is the message layer of ARMCI: messages between two processes, and what groups
// of processes do together by messages: barriers, broadcasts and reductions.
//
// A [Engine] is the part of one process. A message has a [Label], which says which messages can take
// each other's place, and goes from one member of the run to another. Messages of one pair and
// label arrive in order. The receiver finds a message that has come before it asks for it in its
// queue of unexpected messages.
//
// All that one member sends to another is a stream of records. If the sender has mapped the
// memory of the receiver, the stream is a ring in the heap of the receiver, which exists from the
// first message on. The receiver need not look into the ring for the sender to go on: if the ring
// is full, the sender asks the agent of the receiver to move everything to the queue of unexpected messages. Otherwise the
// stream is requests to the agent.
//
// A short message is in its record. A longer one is direct: it stays where it is, and its record has the address.
// The receiver copies the message from there, by process_vm_readv or by requests to the agent of
// the sender, and then releases the memory. Up to [Buffered] bytes the sender makes a copy for
// that, so that it need not wait for the receiver.
//
// A thread that waits spins for a short time, and then parks at the event count of its process, a word
// in the heap that everything that arrives changes. The end of the run ends every wait.
//
// A [Team] is an ordered list of members with a label of its own. Barrier, Broadcast, Reduce,
// Select and Gather are collective over a team. They are messages along fixed trees, so that
// the result of a reduction depends on the values and the number of members alone.
package message
