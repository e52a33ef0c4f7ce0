package am

import "github.com/goacp/goacp/internal/memory/heapview"

// Operations on the blocks of a heap. Every table has them, because the bytes of a long call
// go through a block.
const (
	OpAlloc = OpHeap + iota // a block of Args[0] bytes; Val0 is its address
	OpFree                  // the block at GA
)

var heapOperations = []Operation{
	{Op: OpAlloc, Name: "malloc", Run: func(view *heapview.View, c Call) (Result, error) { return RunHeap(view, &c) }},
	{Op: OpFree, Name: "free", Run: func(view *heapview.View, c Call) (Result, error) { return RunHeap(view, &c) }},
}

// RunHeap carries out OpAlloc or OpFree on the heap of view. Fails with the errors of the view.
func RunHeap(view *heapview.View, c *Call) (Result, error) {
	switch c.Op {
	case OpAlloc:
		ga, err := view.Alloc(c.Args[0])
		return Result{Val0: ga}, err
	case OpFree:
		return Result{}, view.Free(c.GA)
	}
	return Result{}, ErrMalformed
}
