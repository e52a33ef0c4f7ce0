// Package watch chooses the steps of watched links. Senders of a watched link wait for nothing, so they do not agree on a step
// by themselves. The first receiver is the coordinator ([Coordinator]): when all receivers want a step, it asks all senders
// for one that is ahead of them. A round is one such question.
//
// The package is a state machine without messages, goroutines and clocks. Package link carries the messages, and waits.
package watch
