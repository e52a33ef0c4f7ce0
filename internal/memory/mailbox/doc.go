// Package mailbox carries small operations to a process of the same host through memory that both have
// mapped, while a goroutine of that process polls anyway.
//
// The owner of memory has a [Box] in the memory that it publishes. An initiator that finds in it that the
// owner polls posts a [Request] in a slot, and spins for the answer:
//
//	initiator   free → claimed → posted                          answered → free
//	owner                               posted → taken → answered
//
// The owner takes a request by compare-and-swap. If it does not do so in a short time, the initiator takes
// the request back in the same way. So a request is carried out once or not at all. One that has come back,
// or that the owner has refused, has changed nothing, and the initiator goes another way, which also finds
// out what is wrong.
//
// An agent that sleeps finds no request. So an initiator wakes it behind some operations that have gone another way: it
// sends the agent a request by a link, behind which the agent polls for more if it may.
//
// Neither side relies on what the other one writes. The owner copies a request before it checks and uses
// it. An initiator whose request has been taken waits for the answer until the run is over, which it is if
// the owner dies.
package mailbox
