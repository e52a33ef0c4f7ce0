// Package ring is the part of a channel that both of its ends, and C and Go, share: the ring of
// records in the receiver's heap, and the endpoints of a process.
//
// A [Ring] carries records from one sender to one receiver. On one host the sender writes it by
// plain stores. Elsewhere the receiver's agent writes what the sender has sent. A record is a head
// of 8 bytes and a payload that is rounded up to 8:
//
//	bits 63 … 3   size of the message in bytes
//	bits  2 … 0   kind: Eager, Large, Last or Direct; 0 if there is no record
//
// The payload of an eager record is the message. That of a direct one is the address of the message
// in the sender's process. That of a large one, for receivers that cannot read that process, is its
// position in the sender's registered memory. In both cases the receiver copies the message once,
// from there. The last record has no payload. A record may run over the end of the ring to its
// beginning.
//
// An [Endpoint] is one side's view of a ring, and a [Table] has the endpoints of a process. C and
// Go both use them on the fast path, so they lie outside the Go heap. C has the layouts from
// lib/acp/layout.h, which go generate makes of this package. The holder of an endpoint's lock may
// call its methods.
package ring
