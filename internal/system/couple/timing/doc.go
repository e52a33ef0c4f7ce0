// Package timing computes what a link with operations in time sends and receives in each step.
//
// A [Sender] reduces the values of several steps to one message: to their sum, average, minimum or maximum. With a lag
// it sends the values of a step as those of a later step. A [Receiver] interpolates between two messages. Both are state
// machines on values in memory: package link moves the messages.
//
// A step of the sender with number s has a message if every divides s + lag, and its number is the quotient. So the first
// messages belong to no step: they are initial values. A step r of the receiver has a message if every of the receiver divides
// r.
//
// A [File] is the state of one side of a link on one rank, with a header that says to what it belongs. A run that continues
// from it sends and receives the same bits as one without an interruption.
package timing
