// Package segbuf has the segmented buffers of a process: rings of equally long segments that
// stream from one rank to another.
//
// An [End] is a source or a destination. The n-th source that a process makes towards another
// one belongs to the n-th destination that the other one makes for it. The two ends tell each
// other, by calls to the agents, where their memory is, and that they are not used any more; the
// programs take no part in that.
//
// Segments and counters are written straight to the memory of the other end: by loads and stores
// if it is mapped, otherwise by its agent. What one end sends to the agent of the other stays in
// order, so that nothing arrives behind the message that an end has left.
//
// Other processes may write anything into the memory of an end. The numbers of segments that an
// end reads there are forced into what is possible.
package segbuf
