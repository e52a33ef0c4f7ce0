// Package meet decides whether the ranks of two models can have a link, and sends them their common data.
//
// It consists of state machines without messages, goroutines and clocks. The caller passes each request that a process has
// received to a method of a machine, and sends the answers that the method returns. An answer often belongs to an earlier
// request: the caller passes a [Ticket] with each request that may be answered later, and each [Answer] has the ticket of
// its request. The caller guards each machine by a lock.
//
// # Machines
//
// A [Host] decides for the links whose host is this process. All ranks of a link arrive there three times. The first time
// they send their descriptions ([Introduction]); the host compares these, and replies to all ranks with the result
// ([Agreement]). If several cohorts come with one model, it decides which of them has it. The second time they send
// whether they are ready, and the third time whether they are connected. A rank that times out leaves, and gets the list
// of missing ranks ([Departure]).
//
// The [Registry] has the declarations of all models. It detects that a model or a field does not exist, and that
// models wait for each other ([Situation]).
//
// [Shards] are the parts of the directories of points that one process keeps. Each rank of a link sends its points to
// the shards, and fetches from them the ranks with which it has points in common ([Finding]).
//
// [Totals] add what the ranks of a link have in the integrals of a message, if the link keeps them.
//
// Scripts in testdata show each machine at work.
package meet
