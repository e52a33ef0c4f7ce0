// Package liveness distinguishes a host that has vanished from a process that is stopped.
//
//	c, err := liveness.Dial(ctx, addr, limits)
//	…
//	stop := liveness.Watch(c, limits, func(err error) { … })
//	…
//	stop()
//
// When a process dies, its kernel ends its connections at once. When a host dies or its cable is pulled, it
// stops sending, and its peers have to detect that. A process that is stopped, by a debugger, by a freezer or
// because it is swapped out, sends nothing either, perhaps for hours. It is not dead.
//
// The kernel of a stopped process still answers: it accepts connections, and it acknowledges keep-alive
// probes and probes of a full receive window. So silence means here that an acknowledgement is missing, never
// that a message is. TCP_USER_TIMEOUT cannot be used, because it also counts the time for which a window is
// full.
package liveness
