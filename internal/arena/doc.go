// Package arena is the ground on which data structures stand: the global heap of one rank,
// reached by plain loads and stores.
//
// An [Arena] is that heap as one process has mapped it. Every process on the host of a rank
// has one for it, and the rank itself. It allocates, frees, and checks every address before
// it becomes a pointer. Addresses are global addresses as package acp defines them, without
// its type.
package arena
