// Package tcp moves bytes between any two processes of a run over sockets. It
// needs no shared memory and no MPI: the process that owns the memory serves it
// with an agent, which is a part of [Transport].
//
//	l, err := endpoint.NewListener(choice, addrs) // tell l.Addrs() to the others
//	…
//	f := tcp.New(l, tcp.Config{Self: 2, Size: 6, Addrs: addrs, Auth: token, Owner: owner})
//	f.Put(4, pos, src, n, done)
//	…
//	err = f.Close()
//
// # Links
//
// The state shared with one peer is a link. It is made at the first operation on
// that peer, or when that peer makes contact; before that a peer costs one
// pointer. A link has one socket, used in both directions. When both sides open
// at the same time, the socket dialled by the member with the lower number
// remains. Requests wait in the link until that is settled, so that none is lost,
// repeated or overtaken.
//
// # Who reads and who writes
//
// What arrives is handled by whoever holds the receive lock of the link: its
// reader goroutine, asleep in the netpoller, or a goroutine that waits for a
// completion and calls [Transport.Poll], which saves the wake-up. Both continue
// where the other stopped, in the middle of a header or of a payload.
//
// What is to be sent goes into a queue of headers and pointers; payloads are
// never copied into it. Whoever finds the queue without a writer writes, and never
// blocks: when the socket is full a goroutine takes over and sleeps until it is
// not. So a reader never waits for a writer, and two members that flood each
// other cannot deadlock. The queue is bounded because a member keeps at most
// [window] requests under way per link and holds back the others on its own side.
//
// # Order
//
// The agent carries out the requests of one link one after another in the order
// of arrival, which is the order of issue. Only the sending of the bytes that a
// get asked for may take longer than its turn; a later request that would change
// them makes a copy of the rest first. So that this takes little memory, the initiator
// keeps such a request back, and with it those behind it, while its gets under way
// are for more than [lentMax] bytes.
//
// The owner may answer a call later, from any goroutine (fabric.Deferrer), while the link
// carries out what follows. Such a call must not take a place in the window for long: when
// half of the places are taken, the agent tells the initiator that the call is deferred,
// and the place is free.
//
// # Memory that goes away
//
// The owner's program may unregister memory in the middle of a transfer, and then
// [Transport.Withdraw] ends the part that this process has in it: what arrives later is
// thrown away, and in place of what was not sent goes filling. It may also unmap memory
// without a word. System calls notice that; before the agent itself touches memory of the
// program it lets the kernel look. In each case the initiator gets an error, and
// the link goes on.
//
// # Death
//
// A member that closes its transport says goodbye. A link that ends otherwise is a
// death: its operations complete with a [PeerError] and the owner is told by
// PeerLost. A peer that cannot be reached in the first place counts as dead too.
// Hosts that vanish are noticed within about ten seconds. A peer that is stopped is
// not dead: its kernel goes on answering (package liveness), and it is waited for, with
// operations under way as well as at first contact and in Close.
package tcp
