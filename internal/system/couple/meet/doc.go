// Package meet decides whether the ranks of two models can have a link, and tells them what they have in common.
//
// It consists of state machines without messages, goroutines and clocks. The caller passes each request that a process has
// received to a method of a machine, and sends the answers that the method returns. An answer often belongs to an earlier
// request: the caller passes a [Ticket] with each request that may be answered later, and each [Answer] has the ticket of
// its request. The caller guards each machine by a lock.
//
// # Machines
//
// A [Host] decides for the links that one process is the host of. All ranks of a link arrive there twice. The first time
// they introduce themselves: the host compares their descriptions ([Introduction]), and the answer to all of them is what
// they have agreed on ([Agreement]). The second time they say whether they are ready. A rank whose time is up leaves, and
// learns which ranks are missing ([Departure]).
//
// The [Registry] has what ranks have declared of all models. It finds out that a model or a field does not exist, and that
// models wait for each other ([Situation]).
//
// [Shards] are the parts of the directories of points that one process keeps. Each rank of a link tells the shards which
// points it has, and fetches from them with which ranks it has points in common ([Finding]).
//
// Scripts in testdata show each machine at work.
package meet
