// Package hashed has the operations of sets, multisets and maps: tables of hash slots
// that lie on several ranks, each slot a chain of elements.
//
// The key says where an element lies: its hash chooses the table, and the slot in it.
// Who wants something of a key computes both, and the rank of that table does the rest.
// A directory, one block on any rank, says where the tables are.
//
// The three structures differ in what an element holds besides the key: nothing, how
// often the key is in the multiset, or a value. Everything else is the same, so that
// there is one implementation, which takes the Kind of the structure.
//
// # Locks
//
// Each slot has a lock of its own, a word that C programs can see, taken by compare and
// swap. It is held while an operation looks at or changes the chain of that slot, by
// whoever works on the memory of the table: a caller on its host, or the agent of its
// rank. Nobody waits for another rank meanwhile, so that waiting is short; it ends if
// the run does, because the holder may have been killed.
//
// Chains without locks are no alternative here: the layout is fixed, with links in both
// directions, a last element and a counter, which no single atomic operation changes
// together, and elements are given back to a heap that anybody may reuse at once. One
// lock for a table would do for correctness, but then ranks that work on different keys
// would wait for each other.
//
// # Validity
//
// Behind its slots, where programs do not look, a table says which one it is of which
// structure. Every operation compares that with what its caller expects. So those who
// remember where a table was, and those who use a structure that has been destroyed, get
// an error and damage nothing.
package hashed
