//go:build mpi

package mpi

// #include "shim.h"
import "C"

import "unsafe"

// Comm is a communicator within one group of processes. The communicators of Accept, Connect, Join,
// Spawn and CreateInter are between two groups (intercommunicators). Copies of the value are the
// same communicator. The zero value is no communicator: its methods return [ErrComm].
//
// Communicators made here return errors. World and Self do so after
// [InitThread] or [ReturnErrors].
type Comm struct {
	handle C.MPI_Comm
	kind   commKind
}

type commKind uint8

const (
	commNull  commKind = iota
	commFixed          // lives as long as MPI, or belongs to other code
	commMade           // made here, to be freed
)

// Undefined is the color with which a process takes part in a Split without
// being in any of the new communicators.
const Undefined = -1

// World returns MPI_COMM_WORLD. MPI need not be initialized. Local. Does not
// block. MPI 6.4.
func World() Comm { return Comm{handle: C.goacp_mpi_world(), kind: commFixed} }

// Self returns MPI_COMM_SELF, the communicator of this process alone. MPI need
// not be initialized. Local. Does not block. MPI 6.4.
func Self() Comm { return Comm{handle: C.goacp_mpi_self(), kind: commFixed} }

// FromC returns the communicator that code in C has made: comm points to its handle, an MPI_Comm. It
// remains the property of that code, which must not free it before it is used for the last time.
// The zero Comm stands for MPI_COMM_NULL. MPI must be initialized before the result is used. Local.
// Does not block. MPI 6.4.
func FromC(comm unsafe.Pointer) Comm {
	handle := *(*C.MPI_Comm)(comm)
	if C.goacp_mpi_comm_is_null(handle) != 0 {
		return Comm{}
	}
	return Comm{handle: handle, kind: commFixed}
}

// IsNull reports whether c is no communicator. Local. Does not block. MPI 6.4.
func (c Comm) IsNull() bool { return c.kind == commNull }

// usable returns an error if MPI would end the process because of a call on c.
func (c Comm) usable(op string) error {
	switch c.kind {
	case commNull:
		return refuse(op, ErrComm, "not a communicator")
	case commFixed:
		return running(op)
	}
	return nil
}

// number calls a function that yields an int.
func (c Comm) number(op string, get func(C.MPI_Comm, *C.int) C.int) (int, error) {
	if err := c.usable(op); err != nil {
		return 0, err
	}
	var n C.int
	err := check(op, get(c.handle, &n))
	return int(n), err
}

// Rank returns the rank of the calling process in its group of c. Local. Does
// not block. MPI 6.4.1.
func (c Comm) Rank() (int, error) {
	return c.number("MPI_Comm_rank", func(c C.MPI_Comm, n *C.int) C.int { return C.MPI_Comm_rank(c, n) })
}

// Size returns the number of processes in the calling process's group of c.
// Local. Does not block. MPI 6.4.1.
func (c Comm) Size() (int, error) {
	return c.number("MPI_Comm_size", func(c C.MPI_Comm, n *C.int) C.int { return C.MPI_Comm_size(c, n) })
}

// IsInter reports whether c is an intercommunicator. Local. Does not block.
// MPI 6.6.1.
func (c Comm) IsInter() (bool, error) {
	flag, err := c.number("MPI_Comm_test_inter", func(c C.MPI_Comm, n *C.int) C.int { return C.MPI_Comm_test_inter(c, n) })
	return flag != 0, err
}

// RemoteSize returns the number of processes in the other group of the
// intercommunicator c; on another communicator it fails with [ErrComm]. Local.
// Does not block. MPI 6.6.1.
func (c Comm) RemoteSize() (int, error) {
	if err := c.between("MPI_Comm_remote_size"); err != nil {
		return 0, err
	}
	return c.number("MPI_Comm_remote_size", func(c C.MPI_Comm, n *C.int) C.int { return C.MPI_Comm_remote_size(c, n) })
}

// between returns an error unless c is an intercommunicator. Some MPIs do not
// check that.
func (c Comm) between(op string) error {
	if err := c.usable(op); err != nil {
		return err
	}
	if inter, err := c.IsInter(); err != nil || inter {
		return err
	}
	return refuse(op, ErrComm, "not an intercommunicator")
}

// made completes a call that makes a communicator, which may be none.
func made(op string, code C.int, handle *C.MPI_Comm) (Comm, error) {
	if err := check(op, code); err != nil {
		return Comm{}, err
	}
	if C.goacp_mpi_comm_is_null(*handle) != 0 {
		return Comm{}, nil
	}
	return Comm{handle: *handle, kind: commMade}, nil
}

// Dup returns a communicator of the same processes, whose messages do not match
// receives on c. Free it. Collective over c. Blocks until every process of c has
// called it. MPI 6.4.2.
func (c Comm) Dup() (Comm, error) {
	const op = "MPI_Comm_dup"
	if err := c.usable(op); err != nil {
		return Comm{}, err
	}
	var handle C.MPI_Comm
	return made(op, C.goacp_mpi_comm_dup(c.handle, &handle), &handle)
}

// Split returns a communicator of those processes of c that pass the same color, a
// number from 0. They are ordered by key, and if keys are equal by their rank in c.
// With the color [Undefined] the result is the zero Comm. Free it. Collective over
// c. Blocks until every process of c has called it. MPI 6.4.2.
func (c Comm) Split(color, key int) (Comm, error) {
	const op = "MPI_Comm_split"
	if err := c.usable(op); err != nil {
		return Comm{}, err
	}
	if color < Undefined || color != int(C.int(color)) || key != int(C.int(key)) {
		return Comm{}, refuse(op, ErrArg, "color %d, key %d", color, key)
	}
	var handle C.MPI_Comm
	return made(op, C.goacp_mpi_comm_split(c.handle, C.int(color), C.int(key), &handle), &handle)
}

// SplitShared returns a communicator of those processes of c that can share
// memory with the caller, ordered as by Split. Free it. Collective over c. Blocks
// until every process of c has called it. MPI 6.4.2.
func (c Comm) SplitShared(key int, info Info) (Comm, error) {
	const op = "MPI_Comm_split_type"
	if err := c.usable(op); err != nil {
		return Comm{}, err
	}
	if key != int(C.int(key)) {
		return Comm{}, refuse(op, ErrArg, "key %d", key)
	}
	var handle C.MPI_Comm
	return made(op, C.goacp_mpi_comm_split_shared(c.handle, C.int(key), info.c(), &handle), &handle)
}

// CreateInter returns an intercommunicator between the processes of c and those
// of another communicator. Each side names its leader by the rank in its own group.
// The leaders communicate by peer, in which remoteLeader is the rank of the other
// leader. Processes that are not leaders may pass the zero Comm and any rank. Both
// sides pass the same tag. Disconnect or free it. Collective over both groups.
// Blocks until every process of both has called it. MPI 6.6.2.
func (c Comm) CreateInter(leader int, peer Comm, remoteLeader, tag int) (Comm, error) {
	const op = "MPI_Intercomm_create"
	if err := c.usable(op); err != nil {
		return Comm{}, err
	}
	rank, err := c.Rank()
	if err != nil {
		return Comm{}, err
	}
	if rank != leader {
		peer = c // not significant, but must be a communicator
	} else if err := peer.usable(op); err != nil {
		return Comm{}, err
	}
	var handle C.MPI_Comm
	return made(op, C.goacp_mpi_intercomm_create(c.handle, C.int(leader),
		peer.handle, C.int(remoteLeader), C.int(tag), &handle), &handle)
}

// Merge returns a communicator of both groups of the intercommunicator c. The
// processes that pass high come after those that do not; within a group all pass
// the same. Free it. Collective over c. Blocks until every process of both groups
// has called it. MPI 6.6.2.
func (c Comm) Merge(high bool) (Comm, error) {
	const op = "MPI_Intercomm_merge"
	if err := c.between(op); err != nil {
		return Comm{}, err
	}
	var handle C.MPI_Comm
	return made(op, C.goacp_mpi_intercomm_merge(c.handle, flag(high), &handle), &handle)
}

// flag is a bool as MPI has it.
func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// Free frees a communicator that was made here; on World and Self it is an error.
// Operations in progress on it still complete. The program must not use copies of the value
// afterwards. Collective over c. May block. MPI 6.4.3.
func (c Comm) Free() error {
	const op = "MPI_Comm_free"
	if err := c.mine(op); err != nil {
		return err
	}
	return check(op, C.MPI_Comm_free(&c.handle))
}

// mine returns an error if c was not made here.
func (c Comm) mine(op string) error {
	if c.kind == commFixed {
		return refuse(op, ErrComm, "this communicator was not made by the program")
	}
	return c.usable(op)
}

// Abort ends all processes of the job, the caller included, with an exit
// status. It returns only if MPI cannot do so. Local. Does not block. MPI 8.7.
func (c Comm) Abort(status int) error {
	const op = "MPI_Abort"
	if err := c.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Abort(c.handle, C.int(status)))
}
