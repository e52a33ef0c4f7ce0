// Package gp is global pointer arrays: dense arrays of one to seven dimensions, spread over all
// ranks, whose elements are pieces of memory of any size.
//
// Each place of an [Array] belongs to one rank, its owner. The owner allocates an [Element] in its
// own memory and assigns it to the place. From then on every rank can read and write the bytes:
// [Array.Get] and [Array.Put] move a rectangular [Section], [Array.Gather] and [Array.Scatter] a
// list of places. The owner takes no part in this.
//
//	a, err := gp.Create(p, gp.Config{Dims: []int{100, 100}})
//	block, ok := a.Block(p.Rank())         // the places of this rank
//	e, err := gp.Alloc(p, 1234)            // memory for one of them
//	err = a.Assign(e, 40, 2)
//	err = gp.Sync(p)
//	patch, err := a.Get(gp.Section{Lo: []int{38, 0}, Hi: []int{42, 5}})
//	mem := patch.At(40, 2)
//
// [Of] converts an array of bytes to an array whose elements are slices of a Go type.
//
// All ranks of the run have to be programs that import this package, or programs in C. The arrays
// are the same as in the C library libgp, so programs in C and Go may share a run. Reset and
// Finalize of the process end all arrays and elements.
//
// # Consistency
//
// A get returns when the bytes are there, and a put when they are visible to every get that begins
// afterwards. An assignment or detachment by an owner is visible at once: a get finds the old
// element or the new element, never a mixture. But the order of actions of different ranks is
// defined only by [Sync]. If one rank writes bytes while another reads or writes them, without a
// Sync in between, these bytes are undefined. A call is not atomic: another rank may see a part of
// a put. A program must not free or detach an element while another rank moves it.
//
// # Errors
//
// Functions of this package that fail return an [*OpError]. If this rank can detect the error
// itself, nothing has moved. An owner checks its own data, such as the sizes of its elements,
// before it moves anything for the call; in this case bytes of other owners may have moved.
package gp
