// Package channel has the channels of a process: messages from one rank to another, whole and in
// order.
//
// A [Engine] has the ends of channels of one process. A [Channel] is one end, and a [Request] is a
// send, a receive or the freeing of an end. The n-th end that a process makes for another one
// belongs to the n-th that the other one makes for it.
//
// The receiver makes the ring (package ring) in its own heap and announces it to the sender: by the
// announcement queue of the sender's process if both share memory, otherwise by a message to the
// sender's agent. The sender keeps its requests until the announcement has come. Then it is
// connected.
//
// If both ends have mapped each other's memory, they work on the ring alone, by loads and stores. Otherwise
// the sender sends records to the receiver's agent, never more than the ring has room for, and the agent's
// answer reports the progress of the receiver. If the sender waits for more room, the receiver sends a credit
// when there is some.
//
// While no request is queued, a send or a receive takes the fast path: it works on the endpoint and the ring
// alone. C has a copy of the fast path in lib/acp/channel.c. Every other action is a change under the lock of
// the end. It serves the queued requests as far as possible. Then it writes the condition at which the other
// side has to wake this one into the ring. If the other side may have met the condition before it could read
// it, the change serves the requests once more.
//
// An end wakes the other process by its notifier. A goroutine sleeps there and serves the channels that were
// woken, so that channels make progress while their programs compute. It starts with the first request that
// waits.
package channel
