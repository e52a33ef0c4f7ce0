// Package collarea lets processes that share memory wait for each other and combine arrays, without
// messages.
//
// Each process of a team has a block in its heap, into which it alone posts: what it has so far, and
// the number of the operation. In each step it posts, waits until the post of another process has
// the same number, and combines what it has with what that process had. The steps are those of a
// reduction by messages (package message), so that after the last one all have the result of all.
// A barrier is an operation without data.
//
// There are two posts for each step, for even and odd operations. A process is two operations ahead
// of no other one, since an operation ends when all have begun it. So nothing that is still read is
// written over.
//
// A process that waits spins for a short time, and then parks at the number in the post. C does the
// same by itself (lib/armci/board.c), except that Go parks.
package collarea
