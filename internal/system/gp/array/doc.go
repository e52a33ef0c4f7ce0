// Package array is global pointer arrays for one process. Package gp and the C library libgp use
// it.
//
// An [Array] has a record for each of its places: address and size of the memory that is assigned
// to the place, its element. The records of the places of a rank lie in one block of the heap of
// that rank, and the elements do too. Only the owner changes records. All ranks read them without
// a lock: a number before the records shows whether they have changed during the read.
//
// A rank accesses the elements of another rank near or far:
//
//   - Near: if the caller has mapped the heap of the owner, it reads the records there and copies
//     the bytes itself.
//   - Far: otherwise it sends the owner one message with the places. The reply to a get has
//     records and the first bytes; a put of a few bytes is in the message. More bytes follow in a
//     second step, when the caller has the addresses. Short elements are sent together, long
//     elements as transfers directly from and to their place.
//
// Messages to several owners are in flight at the same time.
package array
