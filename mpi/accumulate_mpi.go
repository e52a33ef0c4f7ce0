//go:build mpi

package mpi

// #cgo noescape goacp_mpi_fetch_and_op_flush
// #cgo nocallback goacp_mpi_fetch_and_op_flush
// #cgo noescape goacp_mpi_compare_and_swap_flush
// #cgo nocallback goacp_mpi_compare_and_swap_flush
// #include "shim.h"
import "C"

// Accumulates are atomic element by element with respect to other accumulates of
// the same type. Whether they are atomic with respect to the target's CPU depends
// on the MPI.

// elements returns how many elements of type t the bytes are.
func elements(op string, t Type, o Op, bytes int) (C.long, error) {
	switch {
	case !t.valid():
		return 0, refuse(op, ErrType, "%v", t)
	case !o.valid():
		return 0, refuse(op, ErrOp, "%v", o)
	case bytes%t.Size() != 0:
		return 0, refuse(op, ErrCount, "%d bytes are not a whole number of elements of type %v", bytes, t)
	}
	return C.long(bytes / t.Size()), nil
}

// element returns an error unless each of the sizes is that of one element.
func element(op string, t Type, sizes ...int) error {
	if !t.valid() {
		return refuse(op, ErrType, "%v", t)
	}
	for _, n := range sizes {
		if n != t.Size() {
			return refuse(op, ErrCount, "a buffer of %d bytes for an element of type %v", n, t)
		}
	}
	return nil
}

// swappable returns an error unless t is an integer of 4 or 8 bytes. On shorter
// ones Open MPI 4 over UCX reports success and does nothing.
func swappable(op string, t Type) error {
	switch t {
	case Int32, Int64, Uint32, Uint64:
		return nil
	}
	return refuse(op, ErrType, "%v is not an integer of 4 or 8 bytes", t)
}

// Accumulate combines the elements of src with those of process target from
// displacement disp on. src is C, mapped or pinned Go memory and is not changed
// before the access has completed, as by [Win.FlushLocal]. Local. Does not block.
// MPI 11.3.4.
func (w Win) Accumulate(src []byte, t Type, o Op, target, disp int) error {
	const op = "MPI_Accumulate"
	if err := w.usable(op); err != nil {
		return err
	}
	n, err := elements(op, t, o, len(src))
	if err != nil {
		return err
	}
	return check(op, C.goacp_mpi_accumulate(start(src), n, C.int(t), C.int(o),
		C.int(target), C.MPI_Aint(disp), w.handle))
}

// GetAccumulate is [Win.Accumulate] that also copies the elements found at the
// target to old. old has the length of src, does not overlap it, and is C, mapped
// or pinned Go memory as well. With [NoOp] only the length of src counts. Local.
// Does not block. MPI 11.3.4.
func (w Win) GetAccumulate(src, old []byte, t Type, o Op, target, disp int) error {
	const op = "MPI_Get_accumulate"
	if err := w.usable(op); err != nil {
		return err
	}
	n, err := elements(op, t, o, len(src))
	if err != nil {
		return err
	}
	if len(old) != len(src) {
		return refuse(op, ErrCount, "%d bytes to combine, %d for the result", len(src), len(old))
	}
	return check(op, C.goacp_mpi_get_accumulate(start(src), start(old), n, C.int(t), C.int(o),
		C.int(target), C.MPI_Aint(disp), w.handle))
}

// FetchAndOp is [Win.GetAccumulate] of one element. Local. Does not block.
// MPI 11.3.4.
func (w Win) FetchAndOp(src, old []byte, t Type, o Op, target, disp int) error {
	const op = "MPI_Fetch_and_op"
	if err := w.usable(op); err != nil {
		return err
	}
	if err := element(op, t, len(src), len(old)); err != nil {
		return err
	}
	if !o.valid() {
		return refuse(op, ErrOp, "%v", o)
	}
	return check(op, C.goacp_mpi_fetch_and_op(start(src), start(old), C.int(t), C.int(o),
		C.int(target), C.MPI_Aint(disp), w.handle))
}

// CompareAndSwap replaces one element, an integer of 4 or 8 bytes, at displacement
// disp of process target by swap if it equals compare. It copies the element that
// it finds to old. The three slices are one element each, do not overlap, and are C,
// mapped or pinned Go memory. The program must not use them before the access has
// completed, as by [Win.Flush]. Local. Does not block. MPI 11.3.4.
func (w Win) CompareAndSwap(swap, compare, old []byte, t Type, target, disp int) error {
	const op = "MPI_Compare_and_swap"
	if err := w.usable(op); err != nil {
		return err
	}
	if err := swappable(op, t); err != nil {
		return err
	}
	if err := element(op, t, len(swap), len(compare), len(old)); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_compare_and_swap(start(swap), start(compare), start(old), C.int(t),
		C.int(target), C.MPI_Aint(disp), w.handle))
}

// FetchAndOpFlush is [Win.FetchAndOp] and [Win.Flush] in one, by value: operand
// and result hold the element in their low bits. Local. Blocks until all
// accesses to the target have completed. MPI 11.3.4, 11.5.4.
func (w Win) FetchAndOpFlush(operand uint64, t Type, o Op, target, disp int) (old uint64, err error) {
	const op = "MPI_Fetch_and_op"
	if err := w.usable(op); err != nil {
		return 0, err
	}
	if !t.valid() || !o.valid() {
		return 0, refuse(op, ErrOp, "%v of %v", o, t)
	}
	var result C.uint64_t
	err = check(op, C.goacp_mpi_fetch_and_op_flush(C.uint64_t(operand), &result, C.int(t), C.int(o),
		C.int(target), C.MPI_Aint(disp), w.handle))
	return uint64(result), err
}

// CompareAndSwapFlush is [Win.CompareAndSwap] and [Win.Flush] in one, by value:
// operands and result hold the element in their low bits. Local. Blocks until
// all accesses to the target have completed. MPI 11.3.4, 11.5.4.
func (w Win) CompareAndSwapFlush(swap, compare uint64, t Type, target, disp int) (old uint64, err error) {
	const op = "MPI_Compare_and_swap"
	if err := w.usable(op); err != nil {
		return 0, err
	}
	if err := swappable(op, t); err != nil {
		return 0, err
	}
	var result C.uint64_t
	err = check(op, C.goacp_mpi_compare_and_swap_flush(C.uint64_t(swap), C.uint64_t(compare), &result, C.int(t),
		C.int(target), C.MPI_Aint(disp), w.handle))
	return uint64(result), err
}
