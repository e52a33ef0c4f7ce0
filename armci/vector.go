package armci

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// Segment is a piece of a vector transfer: a slice of this process, and where its elements go to or
// come from.
type Segment[T any] struct {
	Remote Remote[T] // not shorter than Local
	Local  []T
}

// PutVector copies each Local to the beginning of its Remote. All Remote are of one process, and do not
// overlap. Fails with ErrBounds, and with ErrProc if they are of several processes. Any process. Blocks
// until all Local may be changed. ARMCI API: ARMCI_PutV.
func PutVector[T any](is Issuer, segments []Segment[T]) error {
	return moveVector(is, "put", transfer.Request{Kind: transfer.Put}, segments)
}

// GetVector copies the beginning of each Remote to its Local, which do not overlap. Fails as PutVector
// does. Any process. Blocks as Get does. ARMCI API: ARMCI_GetV.
func GetVector[T any](is Issuer, segments []Segment[T]) error {
	return moveVector(is, "get", transfer.Request{Kind: transfer.Get}, segments)
}

// AccVector adds scale times each element of Local to the element of Remote. Remote may overlap. Fails
// as PutVector does. Any process. Blocks as PutVector does. ARMCI API: ARMCI_AccV.
func AccVector[T Number](is Issuer, scale T, segments []Segment[T]) error {
	return moveVector(is, "accumulate", accumulate(scale), segments)
}

// Scatter copies element i of src to element index[i] of dst. No index is there twice. Fails with
// ErrBounds. Any process. Blocks until src may be changed. ARMCI API: ARMCI_PutV.
func Scatter[T any](is Issuer, dst Remote[T], index []int, src []T) error {
	return moveElements(is, "scatter", transfer.Request{Kind: transfer.Put}, dst, index, src)
}

// Gather copies element index[i] of src to element i of dst. Fails with ErrBounds. Any process. Blocks
// as Get does. ARMCI API: ARMCI_GetV.
func Gather[T any](is Issuer, dst []T, src Remote[T], index []int) error {
	return moveElements(is, "gather", transfer.Request{Kind: transfer.Get}, src, index, dst)
}

// ScatterAcc adds scale times element i of src to element index[i] of dst. All count if an index is
// there several times. Fails with ErrBounds. Any process. Blocks as Scatter does. ARMCI API: ARMCI_AccV.
func ScatterAcc[T Number](is Issuer, scale T, dst Remote[T], index []int, src []T) error {
	return moveElements(is, "scatter", accumulate(scale), dst, index, src)
}

// moveVector is PutVector, GetVector and AccVector for a request without segments.
func moveVector[T any](is Issuer, op string, r transfer.Request, segments []Segment[T]) error {
	if len(segments) == 0 {
		r.Proc = is.in().Proc()
		return issue(is, op, &r, 0, nil)
	}
	r.Proc = segments[0].Remote.proc
	r.Vector = make([]transfer.Segment, len(segments))
	for i, s := range segments {
		if s.Remote.proc != r.Proc {
			return issue(is, op, &r, 0, fmt.Errorf("%w: segments of the processes %d and %d", ErrProc, r.Proc, s.Remote.proc))
		}
		if err := s.Remote.first(len(s.Local)); err != nil {
			return issue(is, op, &r, s.Remote.addr, fmt.Errorf("segment %d: %w", i, err))
		}
		r.Vector[i] = transfer.Segment{
			Local: unsafe.Pointer(unsafe.SliceData(s.Local)), Remote: s.Remote.addr, N: int64(len(s.Local) * size[T]()),
		}
	}
	return issue(is, op, &r, segments[0].Remote.addr, nil)
}

// moveElements is Scatter, Gather and ScatterAcc for a request without segments.
func moveElements[T any](is Issuer, op string, r transfer.Request, remote Remote[T], index []int, local []T) error {
	r.Proc = remote.proc
	if len(index) != len(local) {
		return issue(is, op, &r, remote.addr, fmt.Errorf("%w: %d indices for %d elements", ErrBounds, len(index), len(local)))
	}
	r.Vector = make([]transfer.Segment, len(index))
	for i, n := range index {
		if n < 0 || n >= remote.n {
			return issue(is, op, &r, remote.addr, fmt.Errorf("%w: element %d of %d", ErrBounds, n, remote.Len()))
		}
		r.Vector[i] = transfer.Segment{
			Local: unsafe.Pointer(&local[i]), Remote: remote.addr + uintptr(n*size[T]()), N: int64(size[T]()),
		}
	}
	return issue(is, op, &r, remote.addr, nil)
}
