// Package link couples fields: it moves the values of points from the ranks that have them to the
// ranks that want them, step by step.
//
// A [System] is the part of one process. A [Model] is a program that takes part, with its ranks. Its
// ranks have the values of a [Field], each for some points. A link goes from one field to
// another one. All ranks of both models open it with the same name: the ranks of the sending
// side get a [Sender], those of the receiving side a [Receiver].
//
// # Opening
//
// One process is the host of a link, which its name tells. All ranks introduce themselves there,
// and get the answer when all have come: which ranks the sides have, and which points (package meet). Then each
// rank tells the directories which points it has, and they tell it with which ranks it has
// points in common (package directory). A receiver makes room for messages in its heap, and all
// agree at the host that they are ready. Last, each sender asks its receivers where that room is.
//
// # Messages
//
// Each pair of a sender and a receiver with common points is a flow (package flow has its memory and decides how values travel). The receiver has as many slots
// for it as the link has levels. The sender packs the values in order of the points, straight
// into the next slot if the heap of the receiver is mapped, and then stores in the head of the slot
// how many messages it has sent. The receiver unpacks the slot, and stores 0 there. Otherwise the sender packs into memory
// of its own, from which the messenger takes the message, and a notice behind it carries the number. The receiver then
// tells how many messages it has taken in a word of the sender. So a sender waits if all slots are full, a receiver if a
// message is missing, and neither for anything else. C does the same if all partners are near ([Near]).
//
// A receiver that waits for a large message shows its array to the senders that may use zero copy (ready.go). A sender that is
// about to send reserves its part. When no sender is missing, zero copy is committed, and the senders put the values that they
// have not packed to their places (zerocopy.go). A sender on another host, whose message is the last one, is asked for it, and the
// transport puts the values there (ask.go, remote.go).
//
// In a watched link, the ranks of the sending side get a [Publisher] and wait for nothing, and those of the
// receiving side get a [Watcher]. The messages are those of the steps that the first receiver chooses (package watch).
//
// Words and notices ring the bell of a process, where its threads park.
//
// # Closing
//
// Close waits for no partner: what has been sent lies in the memory of the receivers. A bit in the words of the partners and a notice
// behind the last message say that a side has ended. The block of an end is freed when the notices of all partners have come
// (closing.go). Finalize and Reset close what is open.
package link
