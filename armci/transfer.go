package armci

import (
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// Issuer determines how a transfer is issued. With a *World a transfer returns when the memory of the
// caller may be used again. With a *Handle, and with the result of World.NonBlocking, it only begins:
// it returns the errors that this process can detect, and Wait returns all others. The program must
// not use slices of the caller until Wait has returned; lists of slices may be used.
type Issuer interface {
	// in returns the world.
	in() *World
	// issue makes or begins a transfer.
	issue(r *transfer.Request) error
}

func (w *World) in() *World { return w }

func (w *World) issue(r *transfer.Request) error {
	s, err := w.live()
	if err != nil {
		return err
	}
	if !w.mem.Detaches() {
		return s.Transfer.Do(r)
	}
	if err := s.World.Check(r.Proc); err != nil {
		return err
	}
	p := newPrivate(r)
	if err := w.patient(r.Proc, func() error { return s.Transfer.Do(p.request()) }); err != nil {
		return err
	}
	p.deliver()
	return nil
}

// issue issues a transfer, unless something is wrong with it, and returns the error of a function.
func issue(is Issuer, op string, r *transfer.Request, addr uintptr, wrong error) error {
	w := is.in()
	if wrong == nil {
		wrong = is.issue(r)
	}
	return w.failedAt(op, r.Proc, addr, wrong)
}

// Put copies src to the beginning of dst. Fails with ErrBounds if dst is shorter, and with ErrProc.
// Any process. Blocks until src may be changed. ARMCI API: ARMCI_Put.
func Put[T any](is Issuer, dst Remote[T], src []T) error {
	return move(is, "put", transfer.Request{Kind: transfer.Put}, dst, src)
}

// Get copies as many elements as dst has from the beginning of src to dst. Fails as Put does. Any
// process. Blocks for a round trip, or for none if the memory of the process is mapped. ARMCI API:
// ARMCI_Get.
func Get[T any](is Issuer, dst []T, src Remote[T]) error {
	return move(is, "get", transfer.Request{Kind: transfer.Get}, src, dst)
}

// Acc adds scale times each element of src to the element of dst. A scale of one adds exactly. Fails
// as Put does. Any process. Blocks as Put does. ARMCI API: ARMCI_Acc.
func Acc[T Number](is Issuer, scale T, dst Remote[T], src []T) error {
	return move(is, "accumulate", accumulate(scale), dst, src)
}

// move is Put, Get and Acc for a request without sides.
func move[T any](is Issuer, op string, r transfer.Request, remote Remote[T], local []T) error {
	r.Proc, r.Remote, r.Local = remote.proc, remote.addr, unsafe.Pointer(unsafe.SliceData(local))
	r.Shape = shape.Contiguous(int64(len(local) * size[T]()))
	return issue(is, op, &r, remote.addr, remote.first(len(local)))
}

// PutValue stores a value in the first element of dst. Errors as for Put. Any process. Does not block
// for the process, with any Issuer. ARMCI API: ARMCI_PutValueDouble.
func PutValue[T any](is Issuer, dst Remote[T], value T) error { return Put(is, dst, []T{value}) }

// GetValue returns the first element of src. Errors as for Get. Any process. Blocks as Get does. ARMCI
// API: ARMCI_GetValueDouble.
func GetValue[T any](w *World, src Remote[T]) (T, error) {
	value := make([]T, 1)
	err := Get(w, value, src)
	return value[0], err
}
