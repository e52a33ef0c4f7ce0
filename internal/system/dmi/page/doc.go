// Package page has the rules by which processes share one page of global memory. The rules are state machines without messages, clocks
// and locks: package node moves the bytes and sends what they demand.
//
// One process owns a page. An [Owner] puts the requests of all processes for it into one order, and knows which processes have copies. A
// change takes two phases. First each process with a copy is told, and answers. Then the owner changes its bytes. So no copy shows old
// bytes after the owner shows new ones:
//
//	requester          owner                       processes with copies
//	    |--- write ----->|                              |
//	    |                |--- invalidate, or hold ----->|  the copy is not used any more, or not for now
//	    |                |<----------- answer ----------|
//	    |                |  change the bytes            |
//	    |<--- answer ----|--- release ----------------->|  an update copy shows the new bytes
//
// A [Copy] is the other side: what one process knows of its copy. Messages of both sides may overtake each other, since a process has
// one connection for its requests and another one for those of the owner. So each change has a version, and each copy that of its bytes.
//
// The tests explore all orders of messages for three processes and two pages.
package page
