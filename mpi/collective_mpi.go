//go:build mpi

package mpi

// #include "shim.h"
import "C"

import (
	"math"
	"unsafe"
)

// Barrier blocks until every process of c has called it. Collective over c.
// MPI 5.3.
func (c Comm) Barrier() error {
	const op = "MPI_Barrier"
	if err := c.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Barrier(c.handle))
}

// Allgather returns the bytes that the processes of c pass, in rank order, one
// after the other; on an intercommunicator those that the other group passes. All
// pass the same number of bytes. The memory is Go memory. Collective over c.
// Blocks until every process of c has called it. MPI 5.7.
func (c Comm) Allgather(send []byte) ([]byte, error) {
	const op = "MPI_Allgather"
	from, err := c.senders()
	if err != nil {
		return nil, err
	}
	recv := make([]byte, from*len(send))
	err = check(op, C.goacp_mpi_allgather(start(send), C.long(len(send)), start(recv), c.handle))
	if err != nil {
		return nil, err
	}
	return recv, nil
}

// Allgatherv is Allgather in which each process passes a different number of bytes.
// counts has the number for each rank that sends. At the caller's rank it has the
// length of send, unless c is an intercommunicator. The result has at most 2^31-1
// bytes. The memory is Go memory. Collective over c. Blocks until every process
// of c has called it. MPI 5.7.
func (c Comm) Allgatherv(send []byte, counts []int) ([]byte, error) {
	const op = "MPI_Allgatherv"
	from, err := c.senders()
	if err != nil {
		return nil, err
	}
	inter, err := c.IsInter()
	if err != nil {
		return nil, err
	}
	rank, err := c.Rank()
	if err != nil {
		return nil, err
	}
	if len(counts) != from || len(send) > math.MaxInt32 || !inter && counts[rank] != len(send) {
		return nil, refuse(op, ErrCount, "%d counts for %d processes, %d bytes at rank %d", len(counts), from, len(send), rank)
	}
	cCounts, displs := make([]C.int, from), make([]C.int, from)
	total := 0
	for i, n := range counts {
		if n < 0 || n > math.MaxInt32-total {
			return nil, refuse(op, ErrCount, "%d bytes from rank %d after %d bytes, at most %d are possible", n, i, total, math.MaxInt32)
		}
		cCounts[i], displs[i] = C.int(n), C.int(total)
		total += n
	}
	recv := make([]byte, total)
	err = check(op, C.goacp_mpi_allgatherv(
		start(send), C.int(len(send)), start(recv), &cCounts[0], &displs[0], c.handle))
	if err != nil {
		return nil, err
	}
	return recv, nil
}

// senders returns how many processes the caller receives from.
func (c Comm) senders() (int, error) {
	if inter, err := c.IsInter(); err != nil {
		return 0, err
	} else if inter {
		return c.RemoteSize()
	}
	return c.Size()
}

// start returns where the bytes begin, or nil if there are none.
func start(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
