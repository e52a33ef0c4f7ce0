// Package global is the memory of all ranks as one process reaches it.
//
// A [Memory] checks global addresses, finds what they name, and copies between any two places,
// for structures: what it copies has arrived when it returns, and has no handle. A [Batch] has
// many copies under way at the same time. Bytes go by the paths that the router chooses.
//
// A Memory also knows where operations run. [Memory.HeapView] returns the heap of a rank if this
// process has mapped it: then the caller runs the operation itself. [Memory.Far] sends it to the
// owner. [Memory.Bring] brings the bytes that go into an operation to where it runs, wherever
// they lie: the operation reads them in place, or they travel once.
package global
