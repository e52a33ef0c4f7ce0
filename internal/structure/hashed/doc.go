// Package hashed has the operations of sets, multisets and maps: tables of hash slots
// that lie on several ranks, each slot a chain of elements.
//
// [Tables] is such a structure as its users see it, on any rank. [Perform] carries out the
// operations, on memory that is mapped.
//
// The hash of the key chooses the table of an element, and the slot in it. The caller computes
// both, and the operation runs where that table lies. A directory, one block on any rank, has
// the addresses of the tables.
//
// The three structures differ in what an element holds besides the key: nothing, how
// often the key is in the multiset, or a value. Everything else is the same, so
// there is one implementation, which takes the Kind of the structure.
//
// # Locks
//
// Each slot has a lock of its own, a word that C programs can see, taken by compare and
// swap. The process that works on the memory of the table is a caller on its host or the
// agent of its rank. It holds the lock while it reads or changes the chain of that slot. It
// does not wait for another rank meanwhile, so others wait for the lock only for a short
// time. Waiting ends with the run, because the holder may have been killed.
//
// Chains without locks are no alternative here. The layout is fixed, with links in both
// directions, a last element and a counter, and no single atomic operation changes all of
// them. Besides, freed elements return to a heap that may reuse them at once. One lock for
// a table would be correct, but then ranks that work on different keys would wait for each
// other.
//
// # Validity
//
// Behind the slots of a table, where programs do not look, is its mark: which table of which
// structure it is. Every operation compares the mark with the one that its caller expects,
// before it takes the lock of a slot and again when it holds it. So an operation on a table
// that is not there any more, or on a structure that has been destroyed, fails and damages
// nothing.
//
// # Iteration
//
// The elements of a slot are in the order of their insertion. During an iteration a table
// notes what followed the elements that have been removed last. So an iteration can go on
// from an element that is gone; see places.go.
package hashed
