// Package collarea has the collective areas of groups: shared memory in which the members of a group on one host
// carry out collective operations. They wait for each other and combine arrays, without
// messages.
//
// Each process of a team has a block in its heap, whose slots it alone fills: with what it has so far, and
// the number of the operation. In each step it fills a slot, waits until the slot of another process has
// the same number, and combines what it has with what that process had. The steps are those of a
// reduction by messages (package message), so that after the last one all have the result of all.
// A barrier is an operation without data.
//
// There are two slots for each step, for even and odd operations. A process is two operations ahead
// of no other one, since an operation ends when all have begun it. So nothing that is still read is
// written over.
//
// A process that waits spins for a short time, and then parks at the number in the slot. C does the
// same by itself (lib/armci/area.c), except that Go parks.
package collarea
