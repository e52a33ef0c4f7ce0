// Package tcp moves bytes between any two processes of a run over sockets. It needs no shared memory and no
// MPI: an agent, which is a part of [Transport], serves the memory of its process.
//
//	l, err := endpoint.NewListener(choice, addrs) // send l.Addrs() to the other members
//	…
//	f := tcp.New(l, tcp.Config{Self: 2, Size: 6, Addrs: addrs, Auth: token, Owner: owner})
//	f.Serve()
//	f.Put(4, pos, src, n, done)
//	…
//	err = f.Close()
//
// # Links
//
// The state that belongs to one peer is a link. The transport makes it at the first operation
// on that peer, or when the peer connects. Before that a peer costs one pointer. A link has
// one socket, for both directions. If both sides connect at the same time, the socket that the
// member with the lower number has dialled remains. Requests wait in the link until the socket
// is chosen, so that none is lost, repeated or overtaken.
//
// # Reading and writing
//
// The goroutine that holds the receive lock of the link receives and handles frames. It is either the reader
// of the link, which otherwise sleeps in the netpoller, or a goroutine that waits for a completion and calls
// [Transport.Poll], which saves the wake-up. Each continues at the byte at which the other has stopped, even
// in the middle of a header or of a payload.
//
// A goroutine that waits for a peer calls [Transport.PollInline]. Until the call returns, it receives and
// sends in place of the reader and the writer of the link, and the kernel wakes these only for many bytes
// (inline.go).
//
// Frames to send go into a queue of headers and pointers to payloads. A goroutine that appends to the queue
// becomes the writer if there is none. It never blocks: if the socket is full, a new goroutine becomes the
// writer, and sleeps until the socket has room. So a reader never waits for a writer, and two members that
// flood each other cannot deadlock. The queue is bounded: a member has at most [window] requests in flight
// per link, and holds back further ones.
//
// # Sharing system calls
//
// A writer sends as many queued frames as possible by one system call, and a receiver takes many frames by
// one. A request whose completion is fabric.Batched does not make its goroutine a writer while the peer is
// about to answer an earlier one: such requests gather in the queue (gather.go). The agent answers all
// successful requests of one receive by one reply (answers.go). The initiator completes the operations of
// that reply together. A long answer to a call is sent before the next request is carried out, so that its
// bytes are in flight meanwhile.
//
// A series of small operations of one kind is one request (series.go, serveseries.go), which has the costs of one.
//
// # Order
//
// The agent carries out the requests of one link one after another in the order of arrival, which is the
// order of issue. Only one action may outlast its turn: sending the bytes of a get. If a later request would
// change these bytes, the agent first copies those not sent yet. To bound the memory for these copies, the
// initiator holds back such a request, and those behind it, while its gets in flight ask for more than
// [preserveMax] bytes. A notice keeps its place in the order: it is held back with the requests that were
// issued before it.
//
// The owner may answer a call later, from any goroutine (fabric.Deferrer), while the link carries out later
// requests. Such a call must not take a place in the window for long: when half of the places are taken, the
// agent announces to the initiator that the call is deferred, and the initiator uses the place for another
// request.
//
// # Words
//
// The kernel copies payloads as they come, so a word may come in two parts. The agent receives and sends
// payloads of PutWords and GetWords through a private buffer, and moves aligned words as a whole.
//
// # Memory that goes away
//
// The owner's program may unregister memory in the middle of a transfer. Then [Transport.Withdraw] makes the
// transport drop the bytes that arrive later, and send zeros in place of those that it has not sent. The
// program may also unmap memory without unregistering it. System calls report that. Before the agent itself
// accesses memory of the program, it asks the kernel whether the memory is mapped. In each case the initiator
// gets an error, and the link continues.
//
// # Death
//
// A member that closes its transport sends goodbye. If a link ends without it, the peer counts as dead:
// operations complete with a [PeerError], and the transport calls PeerLost of the owner. A peer that cannot
// be reached at first counts as dead, too. The transport notices within about ten seconds that a host has
// vanished. A stopped process is not dead: its kernel still answers (package liveness), and the transport
// waits for the process, at first contact, with operations in flight and in Close.
package tcp
