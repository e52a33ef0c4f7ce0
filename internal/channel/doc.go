// Package channel is what the two ends of a channel share, and how each end keeps it:
// the ring of records in the receiver's heap, and the table of the endpoints of a
// process.
//
// A [Ring] carries records from one sender to one receiver. On one host the sender
// writes it by plain stores; elsewhere the receiver's agent writes what the sender has
// sent. A record is a head of 8 bytes and a payload that is rounded up to 8:
//
//	bits 63 … 3   size of the message in bytes
//	bits  2 … 0   kind: Eager, Large, Last or Direct; 0 if there is no record
//
// The payload of an eager record is the message. That of a direct one is the address of
// the message in the sender's process, that of a large one, for receivers that cannot
// read that process, its position in the sender's registered memory; from there the
// receiver copies it once. The last record has none. A record may run over the end of the
// ring to its beginning.
//
// An [Endpoint] is one side's view of a ring. C and Go both use it on the hot path, so it lies
// outside the Go heap. C has the layouts from acp/capi/layout.h, which go generate makes of this
// package. The holder of its lock may call its methods.
package channel
