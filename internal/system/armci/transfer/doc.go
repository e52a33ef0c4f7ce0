// Package transfer moves the data of ARMCI: put, get and accumulate of contiguous, strided and
// vector shape, read-modify-write, flags and notifications.
//
// An [Engine] is what one process has for one world. If the memory of the owner is mapped, the
// process carries an operation out itself: near. Otherwise it sends requests to the owner, whose
// [Owner] carries them out: far. A request holds a part of the stream of the transfer, packed,
// and a description of where it belongs (package shape). Many requests are under way at once.
//
// # Order
//
// All requests to a process use one connection and are carried out in order of issue. Stores are
// acknowledged there when they are visible. So an Engine counts, for each process, the stores that
// it has sent and those that are confirmed, and a fence waits until the second number has reached
// what the first was. An operation that could be carried out near waits for stores on the way
// first.
//
// # Completion
//
// A store that is packed is locally complete at once. A [Tracker] counts what is not: large puts,
// which are sent from where they lie, and gets.
//
// # Accumulate
//
// An accumulate is atomic against others by locks in the memory of the owner, one for every 256th
// page. Go holds one lock at a time, for the part of the data in one page. C may hold several, and does
// not wait for one then. The data cross the network unscaled.
package transfer
