package fabric

import (
	"sync/atomic"
	"unsafe"
)

// Apply performs a on the integer at p by CPU instructions and returns the value
// found there. p must be aligned to the width. It is atomic with respect to
// every other CPU atomic of the same width on the same memory, also of processes
// that map it elsewhere.
func (a Atomic) Apply(p unsafe.Pointer) uint64 {
	if a.Width == 4 {
		return uint64(apply32((*uint32)(p), a.Op, uint32(a.Operand), uint32(a.Compare)))
	}
	return apply64((*uint64)(p), a.Op, a.Operand, a.Compare)
}

func apply32(p *uint32, op Op, operand, compare uint32) uint32 {
	switch op {
	case OpAdd:
		return atomic.AddUint32(p, operand) - operand
	case OpSwap:
		return atomic.SwapUint32(p, operand)
	case OpAnd:
		return atomic.AndUint32(p, operand)
	case OpOr:
		return atomic.OrUint32(p, operand)
	case OpCas:
		for {
			if atomic.CompareAndSwapUint32(p, compare, operand) {
				return compare
			}
			if old := atomic.LoadUint32(p); old != compare {
				return old
			}
		}
	default:
		for {
			old := atomic.LoadUint32(p)
			if atomic.CompareAndSwapUint32(p, old, old^operand) {
				return old
			}
		}
	}
}

func apply64(p *uint64, op Op, operand, compare uint64) uint64 {
	switch op {
	case OpAdd:
		return atomic.AddUint64(p, operand) - operand
	case OpSwap:
		return atomic.SwapUint64(p, operand)
	case OpAnd:
		return atomic.AndUint64(p, operand)
	case OpOr:
		return atomic.OrUint64(p, operand)
	case OpCas:
		for {
			if atomic.CompareAndSwapUint64(p, compare, operand) {
				return compare
			}
			if old := atomic.LoadUint64(p); old != compare {
				return old
			}
		}
	default:
		for {
			old := atomic.LoadUint64(p)
			if atomic.CompareAndSwapUint64(p, old, old^operand) {
				return old
			}
		}
	}
}
