// Package flow has the parts of the data path of a link: how values lie in messages and in arrays, and which way they take.
//
// A flow is the values of a link that go from one sender to one receiver. The receiver has a slot ([Slot]) for each
// message that the sender may be ahead. The sender packs the values into the slot in order of the points, and the
// receiver unpacks them. So values are copied twice. The values of a large message are copied once if the receiver
// waits and both processes map the array of the receiver (local zero copy), or if the transport can put values into
// it (remote zero copy). [Tells], [Choose] and [Limits] decide which flows may use zero copy, and [Ready] decides
// when.
//
// The package sends nothing and waits for nothing. C does the same with the same memory (lib/acp/couple_zerocopy.h).
package flow
