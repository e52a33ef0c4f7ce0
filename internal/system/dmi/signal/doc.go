// Package signal carries short messages to threads of DMI that wait for them.
//
// A thread waits at a [Slot]. The slot has a queue in the heap of its process. A process of the same host puts a signal
// there itself, and wakes the thread. A process of another host sends a message, and the process of the slot keeps the signal in
// memory of its own. The number of a slot says where the queue lies, so a sender needs nothing else.
package signal
