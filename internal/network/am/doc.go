// Package am has the operations that run where memory is: active messages.
//
// Each package that owns a structure, or a protocol between processes, lists its operations
// as values of [Operation]. A process puts the lists of all packages together in one [Table]
// before its agent serves the first request. After that the table does not change.
//
// Most operations work on the memory of one rank: a heap. They are functions of the view of that heap
// and a [Call]. A process that has mapped the heap calls such a function directly: near. If
// it has not, it sends the call to the owner as one message, and the table there finds the
// function by its number: far. So the semantics are the same in both cases, and an operation
// takes one round trip at most. An operation of any other kind gets the message itself.
//
// The table runs operations on the goroutine that reads the connection. An operation must not
// wait for another process there. It may answer later instead: fabric.Request.Later.
//
// A [Notice] is a small message without an answer.
package am
