package armci

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// Section is elements of a slice that form an array.
type Section[T any] struct {
	Data []T
	Layout
}

// RemoteSection is elements of a slice of another process that form an array.
type RemoteSection[T any] struct {
	Data Remote[T]
	Layout
}

// PutSection copies src to dst, which has the same shape. If elements of dst coincide, the element gets
// one of the values. Fails with ErrShape, ErrBounds and ErrProc. Any process. Blocks until src may be
// changed. ARMCI API: ARMCI_PutS.
func PutSection[T any](is Issuer, dst RemoteSection[T], src Section[T]) error {
	return moveSection(is, "put", transfer.Request{Kind: transfer.Put}, dst, src)
}

// GetSection copies src to dst, which has the same shape and in which no two elements are the same.
// Fails as PutSection does. Any process. Blocks for a round trip, or for none if the memory of the
// process is mapped. ARMCI API: ARMCI_GetS.
func GetSection[T any](is Issuer, dst Section[T], src RemoteSection[T]) error {
	return moveSection(is, "get", transfer.Request{Kind: transfer.Get}, src, dst)
}

// AccSection adds scale times each element of src to the element of dst, which has the same shape. If
// elements of dst coincide, all are added. Fails as PutSection does. Any process. Blocks as PutSection
// does. ARMCI API: ARMCI_AccS.
func AccSection[T Number](is Issuer, scale T, dst RemoteSection[T], src Section[T]) error {
	return moveSection(is, "accumulate", accumulate(scale), dst, src)
}

// accumulate returns an accumulate without its sides.
func accumulate[T Number](scale T) transfer.Request {
	return transfer.Request{Kind: transfer.Accumulate, Type: elementType[T](), Scale: scaleOf(scale)}
}

// moveSection is PutSection, GetSection and AccSection for a request without sides.
func moveSection[T any](is Issuer, op string, r transfer.Request, remote RemoteSection[T], local Section[T]) error {
	r.Proc = remote.Data.proc
	err := sides(&r, remote, local)
	return issue(is, op, &r, remote.Data.addr, err)
}

// sides gives a request its two sides.
func sides[T any](r *transfer.Request, remote RemoteSection[T], local Section[T]) error {
	if !slices.Equal(local.Shape, remote.Shape) {
		return fmt.Errorf("%w: %v on this process, %v on the other", ErrShape, local.Shape, remote.Shape)
	}
	if err := remote.Data.first(0); err != nil {
		return err
	}
	here, err := local.within(len(local.Data))
	if err != nil {
		return err
	}
	there, err := remote.within(remote.Data.n)
	if err != nil {
		return err
	}
	if n, _ := here.Bytes(); n == 0 {
		return nil
	}
	bytes := int64(size[T]())
	r.Shape = shape.Strided{Block: bytes, Levels: here.Levels, Count: here.Count}
	for i := range here.Levels {
		r.Shape.Local[i], r.Shape.Remote[i] = here.Stride[i]*bytes, there.Stride[i]*bytes
	}
	r.Local = unsafe.Pointer(&local.Data[local.Offset])
	r.Remote = remote.Data.addr + uintptr(int64(remote.Offset)*bytes)
	return nil
}
