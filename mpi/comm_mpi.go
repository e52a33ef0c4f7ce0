//go:build mpi

package mpi

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// errNotOwn says that a communicator was to be freed that lives as long as MPI.
var errNotOwn = errors.New("MPI_Comm_free: this communicator was not made by Dup")

// Comm is a communicator. Copies of the value are the same communicator. The
// zero value is not valid.
type Comm struct {
	handle C.MPI_Comm
	own    bool // made here: it returns errors and is to be freed
}

// World returns MPI_COMM_WORLD, which has the error handler that the program
// gave it. MPI need not be initialized. MPI 6.4.
func World() Comm { return Comm{handle: C.goacp_mpi_world()} }

// Rank returns the rank of the calling process in c. Does not block. MPI 6.4.1.
func (c Comm) Rank() (int, error) {
	var rank C.int
	err := check("MPI_Comm_rank", C.MPI_Comm_rank(c.handle, &rank))
	return int(rank), err
}

// Size returns the number of processes of c. Does not block. MPI 6.4.1.
func (c Comm) Size() (int, error) {
	var size C.int
	err := check("MPI_Comm_size", C.MPI_Comm_size(c.handle, &size))
	return int(size), err
}

// Dup returns a communicator of the same processes whose messages never meet
// those of c, and whose functions return errors. Free it. Collective over c.
// Blocks until every process of c has called it. MPI 6.4.2.
func (c Comm) Dup() (Comm, error) {
	var handle C.MPI_Comm
	if err := check("MPI_Comm_dup", C.goacp_mpi_comm_dup(c.handle, &handle)); err != nil {
		return Comm{}, err
	}
	return Comm{handle: handle, own: true}, nil
}

// Free gives back a communicator that Dup has made; on any other it is an
// error. The value must not be used afterwards. Collective over c. May block.
// MPI 6.4.3.
func (c Comm) Free() error {
	if !c.own {
		return errNotOwn
	}
	return check("MPI_Comm_free", C.MPI_Comm_free(&c.handle))
}

// Barrier blocks until every process of c has called it. Collective over c.
// MPI 5.3.
func (c Comm) Barrier() error {
	return check("MPI_Barrier", C.MPI_Barrier(c.handle))
}

// Allgather returns the bytes that the processes of c gave, in rank order, one
// after the other. All give the same number of bytes. Collective over c. Blocks
// until every process of c has called it. MPI 5.7.
func (c Comm) Allgather(send []byte) ([]byte, error) {
	size, err := c.Size()
	if err != nil {
		return nil, err
	}
	if len(send) > math.MaxInt32 {
		return nil, fmt.Errorf("MPI_Allgather: %d bytes, at most %d are possible", len(send), math.MaxInt32)
	}
	recv := make([]byte, size*len(send))
	err = check("MPI_Allgather", C.goacp_mpi_allgather(
		start(send), C.int(len(send)), start(recv), c.handle))
	if err != nil {
		return nil, err
	}
	return recv, nil
}

// Allgatherv is Allgather with a number of bytes of its own for each process:
// counts has one for each rank, is the same everywhere, and holds the length of
// send at the caller's rank; the result has at most 2^31-1 bytes. Collective
// over c. Blocks until every process of c has called it. MPI 5.7.
func (c Comm) Allgatherv(send []byte, counts []int) ([]byte, error) {
	size, err := c.Size()
	if err != nil {
		return nil, err
	}
	rank, err := c.Rank()
	if err != nil {
		return nil, err
	}
	if len(counts) != size || counts[rank] != len(send) {
		return nil, fmt.Errorf("MPI_Allgatherv: %d counts for %d processes, %d bytes at rank %d", len(counts), size, len(send), rank)
	}
	cCounts, displs := make([]C.int, size), make([]C.int, size)
	total := 0
	for i, n := range counts {
		if n < 0 || n > math.MaxInt32-total {
			return nil, fmt.Errorf("MPI_Allgatherv: %d bytes from rank %d after %d bytes, at most %d are possible", n, i, total, math.MaxInt32)
		}
		cCounts[i], displs[i] = C.int(n), C.int(total)
		total += n
	}
	recv := make([]byte, total)
	err = check("MPI_Allgatherv", C.goacp_mpi_allgatherv(
		start(send), C.int(len(send)), start(recv), &cCounts[0], &displs[0], c.handle))
	if err != nil {
		return nil, err
	}
	return recv, nil
}

// Abort ends all processes of the job, the caller included, with an exit
// status. It returns only if MPI cannot do so. MPI 8.7.
func (c Comm) Abort(status int) error {
	return check("MPI_Abort", C.MPI_Abort(c.handle, C.int(status)))
}

// start returns where the bytes begin, or nil if there are none.
func start(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
