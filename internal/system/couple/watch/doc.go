// Package watch chooses the steps of watched links. Senders of a watched link never wait, so they cannot agree on a
// step. The first receiver is the coordinator ([Coordinator]): when all receivers request a step, it requests a step
// from all senders that is ahead of them. A round is one such request.
//
// The package is a state machine without messages, goroutines and clocks. Package link carries the messages, and waits.
package watch
