// Package segbuf has the segmented buffers of a process: rings of equally long segments that
// stream from one rank to another.
//
// An [End] is a source or a destination. The n-th source that a process makes towards another one belongs to
// the n-th destination that the other one makes for it. The two ends exchange notes by calls to the agents:
// at the start with the addresses of their memory, at the end about the disconnection. The programs do not
// call the library for that.
//
// Segments and counters are written straight to the memory of the other end: by loads and stores if it is
// mapped, otherwise by its agent. Messages from one end to the agent of the other stay in order, so no
// message arrives after the note that an end has left.
//
// Other processes may write any values to the memory of an end. An end clamps the numbers of segments that it
// reads there to possible values.
package segbuf
