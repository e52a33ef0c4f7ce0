//go:build mpi

package mpi

// #include "shim.h"
import "C"

// AnySource and AnyTag make a receive match messages from every process and
// with every tag.
const (
	AnySource = -1
	AnyTag    = -1
)

// Send sends the bytes of buf to process dest of c. buf may be Go memory. The
// tag is a number from 0 to at least 32767. Local. May block until the message is
// received. MPI 3.2.1.
func (c Comm) Send(buf []byte, dest, tag int) error {
	const op = "MPI_Send"
	if err := c.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_send(start(buf), C.long(len(buf)), C.int(dest), C.int(tag), c.handle))
}

// Irecv starts to receive a message of at most len(buf) bytes from process source
// of c, or from any with [AnySource], with a tag or with [AnyTag]. buf is C, mapped
// or pinned Go memory and may be empty; the program must not use it before the
// request is done. [Request.Test] of a receive that no message matches makes MPI
// progress. Local. Does not block. MPI 3.7.2.
func (c Comm) Irecv(buf []byte, source, tag int) (Request, error) {
	const op = "MPI_Irecv"
	if err := c.usable(op); err != nil {
		return Request{}, err
	}
	r := Request{state: active, receive: true}
	err := check(op, C.goacp_mpi_irecv(start(buf), C.long(len(buf)), C.int(source), C.int(tag), c.handle, &r.handle))
	if err != nil {
		return Request{}, err
	}
	return r, nil
}
