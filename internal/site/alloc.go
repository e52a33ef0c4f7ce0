package site

// Operations on the heap itself.
const (
	OpAlloc = OpHeap + iota // a block of Args[0] bytes; Val0 is its address
	OpFree                  // the block at GA
)

// PerformHeap carries out an operation on the heap.
func PerformHeap(s *Site, c *Call) (Result, error) {
	switch c.Op {
	case OpAlloc:
		ga, err := s.Alloc(c.Args[0])
		return Result{Val0: ga}, err
	case OpFree:
		return Result{}, s.Free(c.GA)
	}
	return Result{}, ErrBadCall
}
