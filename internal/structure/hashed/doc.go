// Package hashed has the operations of sets, multisets and maps: tables of hash slots
// that lie on several ranks, each slot a chain of elements.
//
// [Tables] is the interface of such a structure on any rank. [Perform] carries out the operations on mapped
// memory.
//
// The hash of the key selects the table of an element, and its slot there. The caller computes both, and the
// operation runs on the rank of that table. A directory, one block on any rank, has the addresses of the
// tables.
//
// The elements of the three structures differ: besides the key, an element holds nothing, the multiplicity of
// the key, or a value. The rest is the same, so there is one implementation, which takes the Kind of the
// structure.
//
// # Locks
//
// Each slot has its own lock, a word that C programs can read. Compare and swap takes it. The process that
// works on the memory of the table is a caller on its host or the agent of its rank. It holds the lock while
// it reads or changes the chain of that slot. It does not wait for another rank meanwhile, so other processes
// wait for the lock only for a short time. Waiting ends with the run, because the holder may have been
// killed.
//
// Chains without locks are no alternative here. The layout is fixed, with links in both
// directions, a last element and a counter, and no single atomic operation changes all of
// them. Besides, freed elements return to a heap that may reuse them at once. One lock for
// a table would be correct, but then ranks that work on different keys would wait for each
// other.
//
// # Validity
//
// Behind the slots of a table, where programs do not read, is its mark. It identifies the structure and the
// number of the table there. Every operation compares the mark with the one that its caller expects, before
// it takes the lock of a slot and again when it holds the lock. So an operation on a table or a structure
// that has been destroyed fails and changes nothing.
//
// # Iteration
//
// The elements of a slot are in the order of their insertion. During an iteration a table records the
// successors of the elements that were removed last. So an iteration can continue from a removed element; see
// tombstones.go.
package hashed
