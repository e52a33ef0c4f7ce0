// Package gp is global pointer arrays: dense arrays of one to seven dimensions, spread over all
// ranks, whose elements are pieces of memory of any size.
//
// Each place of an [Array] belongs to one rank, its owner. The owner allocates an [Element] in its
// own memory and assigns it to the place. From then on every rank reads and writes the bytes, by
// [Array.Get] and [Array.Put] a rectangular [Section] at a time, by [Array.Gather] and
// [Array.Scatter] a list of places at a time. The owner takes no part in that.
//
//	a, err := gp.Create(p, gp.Config{Dims: []int{100, 100}})
//	block, ok := a.Block(p.Rank())         // the places of this rank
//	e, err := gp.Alloc(p, 1234)            // memory for one of them
//	err = a.Assign(e, 40, 2)
//	err = gp.Sync(p)
//	patch, err := a.Get(gp.Section{Lo: []int{38, 0}, Hi: []int{42, 5}})
//	mem := patch.At(40, 2)
//
// [Of] makes of an array of bytes one whose elements are slices of a type of Go.
//
// All ranks of the run have to be programs that import this package, or programs in C. The arrays
// are those of the C library libgp, so that both may share a run. Reset and Finalize of the process
// end all arrays and elements.
//
// # Consistency
//
// A get returns when the bytes are there, and a put when they are visible to every get that begins
// afterwards. What an owner has assigned or detached is visible at once: a get finds the old
// element or the new one, never a mixture. But ranks know of each other's actions only after
// [Sync]. If one rank writes bytes while another reads or writes them, without a Sync in between,
// these bytes are undefined. A call is not atomic: another rank may see a part of a put. To free
// or detach an element while another rank moves it is an error of the program.
//
// # Errors
//
// Functions of this package that fail return an [*OpError]. Nothing has moved if the error can be
// known without asking other ranks. What only an owner knows, as the sizes of its elements, it
// checks before it moves anything for the call; bytes of other owners may have moved then.
package gp
