//go:build mpi

package mpi

// #cgo noescape goacp_mpi_put
// #cgo nocallback goacp_mpi_put
// #cgo noescape goacp_mpi_get
// #cgo nocallback goacp_mpi_get
// #cgo noescape goacp_mpi_put_flush
// #cgo nocallback goacp_mpi_put_flush
// #cgo noescape goacp_mpi_get_flush
// #cgo nocallback goacp_mpi_get_flush
// #cgo noescape goacp_mpi_rput
// #cgo nocallback goacp_mpi_rput
// #cgo noescape goacp_mpi_rget
// #cgo nocallback goacp_mpi_rget
// #include "shim.h"
import "C"

// The calls below are for windows that are locked at the target. Their buffers
// belong to MPI until the access has completed at this end. Numbers of bytes are
// not limited to 2^31-1: the shim passes larger ones as derived datatypes.

// Put copies src into the memory of process target from displacement disp on.
// src is C, mapped or pinned Go memory and is not changed before the access has
// completed, as by [Win.FlushLocal]. Local. Does not block. MPI 11.3.1.
func (w Win) Put(src []byte, target, disp int) error {
	const op = "MPI_Put"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_put(start(src), C.long(len(src)), C.int(target), C.MPI_Aint(disp), w.handle))
}

// Get copies from the memory of process target, from displacement disp on, until
// dst is full. dst is C, mapped or pinned Go memory and is not used before the
// access has completed, as by [Win.Flush]. Local. Does not block. MPI 11.3.2.
func (w Win) Get(dst []byte, target, disp int) error {
	const op = "MPI_Get"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_get(start(dst), C.long(len(dst)), C.int(target), C.MPI_Aint(disp), w.handle))
}

// PutFlush is [Win.Put] and [Win.Flush] in one. src may be Go memory, too. Local.
// Blocks until all accesses to the target have completed. MPI 11.3.1, 11.5.4.
func (w Win) PutFlush(src []byte, target, disp int) error {
	const op = "MPI_Put"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_put_flush(start(src), C.long(len(src)), C.int(target), C.MPI_Aint(disp), w.handle))
}

// GetFlush is [Win.Get] and [Win.Flush] in one. dst may be Go memory, too. Local.
// Blocks until all accesses to the target have completed. MPI 11.3.2, 11.5.4.
func (w Win) GetFlush(dst []byte, target, disp int) error {
	const op = "MPI_Get"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_get_flush(start(dst), C.long(len(dst)), C.int(target), C.MPI_Aint(disp), w.handle))
}

// Rput is [Win.Put] with a request, which is done when src may be used again. The
// target sees the data after a flush. Local. Does not block. MPI 11.3.5.
func (w Win) Rput(src []byte, target, disp int) (Request, error) {
	const op = "MPI_Rput"
	if err := w.usable(op); err != nil {
		return Request{}, err
	}
	r := Request{state: active}
	err := check(op, C.goacp_mpi_rput(start(src), C.long(len(src)), C.int(target), C.MPI_Aint(disp), w.handle, &r.handle))
	if err != nil {
		return Request{}, err
	}
	return r, nil
}

// Rget is [Win.Get] with a request, which is done when dst holds the data. Local.
// Does not block. MPI 11.3.5.
func (w Win) Rget(dst []byte, target, disp int) (Request, error) {
	const op = "MPI_Rget"
	if err := w.usable(op); err != nil {
		return Request{}, err
	}
	r := Request{state: active}
	err := check(op, C.goacp_mpi_rget(start(dst), C.long(len(dst)), C.int(target), C.MPI_Aint(disp), w.handle, &r.handle))
	if err != nil {
		return Request{}, err
	}
	return r, nil
}
