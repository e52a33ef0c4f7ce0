// Package site is the ground on which data structures stand: the global heap of one
// rank, reached by plain loads and stores.
//
// An operation on a structure is a function of a Site and a Call. It runs in two
// places. On the host of the rank that holds the structure, the caller runs it itself
// on the memory that the processes of the host share. For a caller on another host, the
// agent of that rank runs it, and the call and its result travel as one message each.
// So the semantics are the same in both cases, and an operation takes one round trip at
// most.
//
// Each structure has a package of its own with its operations; package acp routes calls
// to them. Addresses here are global addresses as package acp defines them, without its
// type.
package site
