// Package hashed has the operations of sets, multisets and maps: tables of hash slots
// that lie on several ranks, each slot a chain of elements.
//
// [Tables] is such a structure as its users see it, on any rank. [Perform] has the
// operations, which run on memory that is mapped.
//
// The key says where an element lies: its hash chooses the table, and the slot in it.
// The caller computes both, and the rank of that table does the rest.
// A directory, one block on any rank, says where the tables are.
//
// The three structures differ in what an element holds besides the key: nothing, how
// often the key is in the multiset, or a value. Everything else is the same, so that
// there is one implementation, which takes the Kind of the structure.
//
// # Locks
//
// Each slot has a lock of its own, a word that C programs can see, taken by compare and
// swap. The process that works on the memory of the table, a caller on its host or the
// agent of its rank, holds it while it looks at or changes the chain of that slot. It
// does not wait for another rank meanwhile, so that waiting for the lock is short. Waiting
// ends with the run, because the holder may have been killed.
//
// Chains without locks are no alternative here: the layout is fixed, with links in both
// directions, a last element and a counter, which no single atomic operation changes
// together, and elements are given back to a heap that may reuse them at once. One lock
// for a table would do for correctness, but then ranks that work on different keys would
// wait for each other.
//
// # Validity
//
// Behind its slots, where programs do not look, a table says which one it is of which
// structure: its mark. Every operation compares that with what its caller expects, before
// it takes the lock of a slot and again when it holds it. So an operation at a place where
// a table was once, and one on a structure that has been destroyed, gets an error and
// damages nothing.
//
// # Iteration
//
// Elements stand in the order of their insertion. A table that is iterated over notes
// what followed the elements that have been removed lately, so that an iteration goes on
// from an element that is gone; see places.go.
package hashed
