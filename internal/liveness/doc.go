// Package liveness tells a host that has vanished from a process that is stopped.
//
//	c, err := liveness.Dial(ctx, addr, limits)
//	…
//	stop := liveness.Watch(c, limits, func(err error) { … })
//	…
//	stop()
//
// A process that dies ends its connections at once, because its kernel does that for
// it. A host that dies, or the cable to it, says nothing: its silence must be noticed.
// A process that is stopped, by a debugger, a freezer or because it is being swapped,
// says nothing either, for hours perhaps, and is not dead.
//
// What tells the two apart is that the kernel of a stopped process goes on answering:
// it accepts connections, acknowledges keep-alive probes, and acknowledges probes of
// a receive window that is full. So only a missing acknowledgement counts as silence
// here, never a missing message. TCP_USER_TIMEOUT cannot be used, since it also counts
// the time for which a window is full.
package liveness
