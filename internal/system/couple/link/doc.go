// Package link couples fields: it moves the values of points from the ranks that have them to the ranks that need
// them, step by step.
//
// A [System] is the state of one process. A [Model] is a program that takes part, with its ranks. Each of its ranks
// has the values of a [Field] at some points. A link goes from one field to another field. All ranks of both models
// open it with the same name: the ranks of the sending side get a [Sender], the ranks of the receiving side a
// [Receiver].
//
// # Opening
//
// One process is the host of a link; the name of the link determines it. All ranks send their descriptions there, and
// get a reply when all have come: the ranks and the range of points of both sides (package meet). Then each rank
// sends its points to the directories, and gets from them the ranks with which it has points in common (package
// directory). A receiver allocates memory for messages in its heap, and all ranks agree at the host that they are
// ready. Then each sender gets the address of that memory from its
// receivers, and all ranks agree that they are connected. No rank uses the memory of another one before.
//
// # Messages
//
// Each pair of a sender and a receiver with common points is a flow (package flow has its memory and decides how
// values travel). The receiver has one slot for it for each level of the link. If the heap of the receiver is mapped,
// the sender packs the values in order of the points directly into the next slot, and then stores the number of sent
// messages in the head of the slot. The receiver unpacks the slot, and stores 0 there. Otherwise the sender packs
// into its own memory, from which the messenger takes the message, and a notice after it carries the number. The
// receiver then stores the number of taken messages in a word of the sender. So a sender waits only if all slots are
// full, and a receiver only if a message is missing. C does the same if all partners are near ([Near]).
//
// A receiver that waits for a large message shows its array to the senders that may use zero copy (ready.go). A sender that is
// about to send reserves its part. When no sender is missing, zero copy is committed, and the senders put the values that they
// have not packed to their places (zerocopy.go). If only the message of a sender on another host is missing, the
// receiver sends it a request, and the transport puts the values there (ask.go, remote.go).
//
// In a watched link, the ranks of the sending side get a [Publisher] and never wait, and the ranks of the receiving
// side get a [Watcher]. There are messages only for the steps that the first receiver chooses (package watch).
//
// Words and notices notify the event count of a process, where its threads park.
//
// # Closing
//
// Close waits for no partner: sent messages lie in the memory of the receivers. A bit in the words of the partners,
// and a notice after the last message, mark the end of a side. The block of an end is freed when the notices of all
// partners have arrived (closing.go). Finalize and Reset close open links.
package link
