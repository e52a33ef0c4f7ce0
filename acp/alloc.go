package acp

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"
)

// Alloc allocates n values of T in the heap of the calling rank, all zero, and returns them as a slice,
// with the global address of the first. The program uses the slice as any other. Ranks on the same host
// reach it by loads, stores and CPU instructions, as starter memory, and need no registration. T has
// a fixed size and contains no pointers. The slice is not to be used after Free of the address,
// Reset or Finalize.
//
// Fails with ErrBadType, ErrBadSize, ErrHeapFull, and with ErrPeerDead when the run is over. Local.
// Does not block. An addition to the specification.
func Alloc[T any](p *Process, n int) ([]T, GA, error) {
	c, err := fixedCodecOf[T]()
	if err != nil {
		return nil, NullGA, typeError[T](p, err)
	}
	if n < 0 || uint64(n) > math.MaxInt64/c.size {
		return nil, NullGA, p.fail(&OpError{Op: "alloc", Rank: p.Rank(), Err: fmt.Errorf("%w: %d values of %v", ErrBadSize, n, reflect.TypeFor[T]())})
	}
	ga, err := p.Malloc(uint64(n)*c.size, p.Rank())
	if err != nil {
		return nil, NullGA, err
	}
	at, err := p.QueryAddress(ga)
	if err != nil {
		return nil, NullGA, err
	}
	values := unsafe.Slice((*T)(at), n)
	clear(values)
	return values, ga, nil
}
