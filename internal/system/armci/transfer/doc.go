// Package transfer moves the data of ARMCI: put, get and accumulate of contiguous, strided and
// vector shape, read-modify-write, flags and notifications.
//
// A process has an [Engine] for each world. If the memory of the owner is mapped, the process executes
// an operation itself: near. Otherwise it sends requests to the owner, whose [Owner] executes them:
// far. A request has a packed part of the stream of the transfer, and a description of its place
// (package shape). Many requests are in flight at once.
//
// # Order
//
// All requests to a process use one connection and are executed in order of issue. The owner
// acknowledges stores when they are visible. An Engine counts, for each process, the stores that it has
// sent and the confirmed stores. A fence waits until the second number has reached the value of the
// first. A near operation first waits for stores in flight.
//
// # Completion
//
// A packed store is locally complete at once. A [Tracker] counts the other operations: large puts,
// which are sent from the memory of the program, and gets.
//
// # Accumulate
//
// Locks in the memory of the owner, one for every 256th page, make an accumulate atomic with respect to
// other accumulates. Go holds one lock at a time, for the part of the data in one page. C may hold
// several, and does not wait for one then. The data cross the network unscaled.
package transfer
