// Package array is global pointer arrays for one process. Package gp and the C library libgp use
// it.
//
// An [Array] has a record for each of its places: address and size of the memory that is assigned
// to the place, its element. The records of the places of a rank lie in one block of the heap of
// that rank, and the elements do too. Only the owner changes records. All ranks read them, without
// a lock: a number before the records says whether they have changed meanwhile.
//
// What one rank does with the elements of another is done near or far:
//
//   - Near: if the caller has mapped the heap of the owner, it reads the records there and copies
//     the bytes itself.
//   - Far: otherwise the owner gets one message, which names places. A get brings back records and
//     the first bytes; a put of a few bytes takes these along. More bytes travel in a second step:
//     the caller knows the addresses by then. Short elements travel together, long ones as
//     transfers, which go straight from and to their place.
//
// What is sent to several owners is under way at the same time.
package array
