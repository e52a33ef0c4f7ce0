// Package flow has the parts of the data path of a link: how values lie in messages and in arrays, and which way they take.
//
// A flow is what goes from one sender to one receiver. The receiver has a slot ([Slot]) for each message that the sender may be
// ahead. The sender packs the values into the slot in order of the points, and the receiver unpacks them. That copies values
// twice. A large message copies them once, if the receiver waits and both processes map the array of the receiver (local
// zero copy) or the transport can put values into it (remote zero copy): [Tells], [Choose] and [Limits] decide which flows
// may do that, and [Ready] when.
//
// The package sends nothing and waits for nothing. C does the same with the same memory (lib/acp/couple_zerocopy.h).
package flow
