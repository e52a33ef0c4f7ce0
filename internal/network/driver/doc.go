// Package driver defines how the router opens a fabric. A [Driver] is the entry of a fabric in
// the list that package router registers. An [Env] is what the process gives to it.
//
// Every transport moves bytes. What else it can do for the router, it says by further methods:
// a [Mapper] maps memory of peers, a fabric.Messenger carries messages, a [Withdrawer] may
// still use memory that was unregistered, a [Peer] exchanges messages with its like in other
// processes, a [CTransport] is called by C directly, and an [Abandoner] has a close of its own
// for runs that are lost.
package driver
