package am

import "github.com/goacp/goacp/internal/memory/heapview"

// Operations on the blocks of a heap. Every table has them, because the bytes of a long call
// go through a block.
const (
	OpAlloc = OpHeap + iota // a block of Args[0] bytes; Val0 is its address
	OpFree                  // the block at GA
)

var heapOperations = []Operation{
	{Op: OpAlloc, Name: "malloc", Run: func(a *heapview.Arena, c Call) (Result, error) { return RunHeap(a, &c) }},
	{Op: OpFree, Name: "free", Run: func(a *heapview.Arena, c Call) (Result, error) { return RunHeap(a, &c) }},
}

// RunHeap carries out OpAlloc or OpFree on the heap of a. Fails with the errors of the arena.
func RunHeap(a *heapview.Arena, c *Call) (Result, error) {
	switch c.Op {
	case OpAlloc:
		ga, err := a.Alloc(c.Args[0])
		return Result{Val0: ga}, err
	case OpFree:
		return Result{}, a.Free(c.GA)
	}
	return Result{}, ErrMalformed
}
