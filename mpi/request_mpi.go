//go:build mpi

package mpi

// #cgo noescape goacp_mpi_test
// #cgo nocallback goacp_mpi_test
// #cgo noescape goacp_mpi_wait
// #cgo nocallback goacp_mpi_wait
// #include "shim.h"
import "C"

// Request is an operation in progress. The zero value is done. Use it by its address: a copy
// does not change when the request is done.
type Request struct {
	handle  C.MPI_Request
	state   requestState
	receive bool // by Irecv, not by Rput or Rget
}

type requestState uint8

const (
	done      requestState = iota
	active                 // MPI knows it
	cancelled              // as active, and Cancel was called
)

// result completes a request that MPI has completed.
func (r *Request) result(op string, code, wasCancelled C.int) error {
	r.state = done
	if err := check(op, code); err != nil {
		return err
	}
	if wasCancelled != 0 {
		return ErrCancelled
	}
	return nil
}

// Fortran returns the number of the request in Fortran. C code that is built apart from this
// package gets the request from it by MPI_Request_f2c. The number is meaningless when the
// request is done. Local. Does not block. MPI 17.2.4.
func (r *Request) Fortran() int32 { return int32(C.goacp_mpi_request_number(r.handle)) }

// Wait waits for the end of the operation and returns its outcome. That is
// [ErrCancelled] if Cancel was called before a message matched. Local. Blocks until
// the operation is done. MPI 3.7.3.
func (r *Request) Wait() error {
	if r.state == done {
		return nil
	}
	var was C.int
	code := C.goacp_mpi_wait(&r.handle, flag(r.state == cancelled), &was)
	return r.result("MPI_Wait", code, was)
}

// Test reports whether the operation is done, and if so returns its outcome, as Wait
// does. It also makes MPI progress, for example with accesses of other processes to
// the windows of this one. Local. Does not block. MPI 3.7.3.
func (r *Request) Test() (bool, error) {
	if r.state == done {
		return true, nil
	}
	var ended, was C.int
	code := C.goacp_mpi_test(&r.handle, flag(r.state == cancelled), &ended, &was)
	if code == C.MPI_SUCCESS && ended == 0 {
		return false, nil
	}
	return true, r.result("MPI_Test", code, was)
}

// Cancel asks MPI to end a receive that no message has matched. Complete the request
// afterwards, too: Wait or Test then return [ErrCancelled]. The requests of Rput and
// Rget cannot be cancelled ([ErrRequest]). Local. Does not block. MPI 3.8.4.
func (r *Request) Cancel() error {
	const op = "MPI_Cancel"
	if r.state == done {
		return nil
	}
	if !r.receive {
		return refuse(op, ErrRequest, "not a receive")
	}
	if err := check(op, C.MPI_Cancel(&r.handle)); err != nil {
		return err
	}
	r.state = cancelled
	return nil
}

// WaitAll waits for the end of all requests and returns the error of the first that
// has failed. A cancelled request has not failed. Local. Blocks until all are done.
// MPI 3.7.5.
func WaitAll(requests []Request) error {
	handles, which := pending(requests)
	if len(handles) == 0 {
		return nil
	}
	code := C.goacp_mpi_waitall(C.int(len(handles)), &handles[0])
	settle(requests, which)
	return check("MPI_Waitall", code)
}

// TestAll reports whether all requests are done, and if so their outcome, as
// WaitAll does. If not, none of them has changed. Local. Does not block.
// MPI 3.7.5.
func TestAll(requests []Request) (bool, error) {
	handles, which := pending(requests)
	if len(handles) == 0 {
		return true, nil
	}
	var ended C.int
	code := C.goacp_mpi_testall(C.int(len(handles)), &handles[0], &ended)
	if code == C.MPI_SUCCESS && ended == 0 {
		return false, nil
	}
	settle(requests, which)
	return true, check("MPI_Testall", code)
}

// pending returns the handles of the requests that are not done, and their indices.
func pending(requests []Request) (handles []C.MPI_Request, which []int) {
	for i := range requests {
		if requests[i].state != done {
			handles, which = append(handles, requests[i].handle), append(which, i)
		}
	}
	return handles, which
}

func settle(requests []Request, which []int) {
	for _, i := range which {
		requests[i].state = done
	}
}
