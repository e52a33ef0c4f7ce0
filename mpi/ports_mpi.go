//go:build mpi

package mpi

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"context"
	"unsafe"
)

// Processes of jobs that were started apart meet at a port: one side opens it, sends its name
// to the other (by [PublishName], a file, a socket), and accepts; the other connects.
// docs/mpi-binding.md lists the MPIs that support this, and their requirements. With other MPIs
// these functions fail at once.

// OpenPort returns the name of a new port, a text that the MPI chooses. Close the
// port. Local. Does not block. MPI 10.4.2.
func OpenPort(info Info) (port string, err error) {
	const op = "MPI_Open_port"
	if err := running(op); err != nil {
		return "", err
	}
	var name [C.MPI_MAX_PORT_NAME + 1]C.char
	if err := check(op, C.goacp_mpi_open_port(info.c(), &name[0])); err != nil {
		return "", err
	}
	return C.GoString(&name[0]), nil
}

// ClosePort closes a port. Connections that were made by it stay. Local. Does not
// block. MPI 10.4.2.
func ClosePort(port string) error {
	const op = "MPI_Close_port"
	if err := running(op); err != nil {
		return err
	}
	name, err := text(op, ErrPort, port, C.MPI_MAX_PORT_NAME)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(name))
	return check(op, C.goacp_mpi_close_port(name))
}

// maxService is the longest service name, which MPI does not limit.
const maxService = 1 << 10

// PublishName makes port known by the name of a service to processes that use the same
// name server: usually the processes of the same launcher, in Open MPI also processes of other
// launchers with the same ompi-server. Local. Blocks until the name server has answered or ctx
// ends ([*AbandonedError]). MPI 10.4.4.
func PublishName(ctx context.Context, service, port string, info Info) error {
	return named(ctx, "MPI_Publish_name", service, port, func(service, port *C.char) C.int {
		return C.goacp_mpi_publish(service, info.c(), port)
	})
}

// UnpublishName ends what PublishName began with the same service and port.
// Local. Blocks until the name server has answered or ctx ends
// ([*AbandonedError]). MPI 10.4.4.
func UnpublishName(ctx context.Context, service, port string, info Info) error {
	return named(ctx, "MPI_Unpublish_name", service, port, func(service, port *C.char) C.int {
		return C.goacp_mpi_unpublish(service, info.c(), port)
	})
}

// named makes a call with a service and a port.
func named(ctx context.Context, op, service, port string, call func(service, port *C.char) C.int) error {
	if err := running(op); err != nil {
		return err
	}
	_, err := within(ctx, op, idle, func() (struct{}, error) {
		s, err := text(op, ErrService, service, maxService)
		if err != nil {
			return struct{}{}, err
		}
		defer C.free(unsafe.Pointer(s))
		p, err := text(op, ErrPort, port, C.MPI_MAX_PORT_NAME)
		if err != nil {
			return struct{}{}, err
		}
		defer C.free(unsafe.Pointer(p))
		return struct{}{}, check(op, call(s, p))
	})
	return err
}

// LookupName returns the port that is published under the name of a service. Fails
// with [ErrName] if there is none. Local. Blocks until the name server has answered
// or ctx ends ([*AbandonedError]). MPI 10.4.4.
func LookupName(ctx context.Context, service string, info Info) (port string, err error) {
	const op = "MPI_Lookup_name"
	if err := running(op); err != nil {
		return "", err
	}
	return within(ctx, op, idle, func() (string, error) {
		s, err := text(op, ErrService, service, maxService)
		if err != nil {
			return "", err
		}
		defer C.free(unsafe.Pointer(s))
		var name [C.MPI_MAX_PORT_NAME + 1]C.char
		if err := check(op, C.goacp_mpi_lookup(s, info.c(), &name[0])); err != nil {
			return "", err
		}
		return C.GoString(&name[0]), nil
	})
}

// Accept waits at a port for the processes of a Connect and returns an
// intercommunicator with them. port counts at process root of c only. If several
// processes are to accept, let one of them accept on Self, and add the others by
// [Comm.CreateInter]: if that Accept is abandoned, [Finalize] still works. Collective
// over c. Blocks until the other side has connected or ctx ends ([*AbandonedError]).
// MPI 10.4.2.
func (c Comm) Accept(ctx context.Context, port string, info Info, root int) (Comm, error) {
	return c.meet(ctx, "MPI_Comm_accept", port, root, func(port *C.char, inter *C.MPI_Comm) C.int {
		return C.goacp_mpi_comm_accept(port, info.c(), C.int(root), c.handle, inter)
	})
}

// Connect connects to a port at which other processes accept and returns an
// intercommunicator with them. At a port where no process accepts, MPI may wait forever. port
// and the choice of c are as with [Comm.Accept]. Collective over c. Blocks until the other side
// has accepted or ctx ends ([*AbandonedError]). MPI 10.4.3.
func (c Comm) Connect(ctx context.Context, port string, info Info, root int) (Comm, error) {
	return c.meet(ctx, "MPI_Comm_connect", port, root, func(port *C.char, inter *C.MPI_Comm) C.int {
		return C.goacp_mpi_comm_connect(port, info.c(), C.int(root), c.handle, inter)
	})
}

// meet makes a call that connects the processes of c with other processes.
func (c Comm) meet(ctx context.Context, op, port string, root int, call func(port *C.char, inter *C.MPI_Comm) C.int) (Comm, error) {
	atRoot, kind, err := c.atRoot(op, root)
	if err != nil {
		return Comm{}, err
	}
	return within(ctx, op, kind, func() (Comm, error) {
		var name *C.char
		if atRoot {
			if name, err = text(op, ErrPort, port, C.MPI_MAX_PORT_NAME); err != nil {
				return Comm{}, err
			}
			defer C.free(unsafe.Pointer(name))
		}
		var handle C.MPI_Comm
		return made(op, call(name, &handle), &handle)
	})
}

// atRoot reports whether the caller is process root of c, and the limit for a call on
// c: processes that wait for their root make MPI communicate.
func (c Comm) atRoot(op string, root int) (bool, limit, error) {
	if err := c.usable(op); err != nil {
		return false, busy, err
	}
	rank, err := c.Rank()
	if err != nil {
		return false, busy, err
	}
	size, err := c.Size()
	if err != nil {
		return false, busy, err
	}
	if root < 0 || root >= size {
		return false, busy, refuse(op, ErrRoot, "root %d of %d processes", root, size)
	}
	return rank == root, limit(size > 1), nil
}

// Join returns an intercommunicator of this process and the process at the other end of a
// connected stream socket. The socket must be blocking, and no other thread may read or write
// it during the call. It stays open. If the two MPIs cannot reach each other, the result is the
// zero Comm. Collective over the two processes. Blocks until the other one has called it or ctx
// ends ([*AbandonedError]). MPI 10.5.5.
func Join(ctx context.Context, socket int) (Comm, error) {
	const op = "MPI_Comm_join"
	if err := running(op); err != nil {
		return Comm{}, err
	}
	return within(ctx, op, idle, func() (Comm, error) {
		var handle C.MPI_Comm
		return made(op, C.goacp_mpi_comm_join(C.int(socket), &handle), &handle)
	})
}

// Disconnect waits until all operations on c have completed, and frees c. Afterwards the end of
// one process no longer affects the other processes. Disconnect a communicator with processes
// of another job before [Finalize]. On World and Self it is an error. The program must not use
// copies of the value afterwards. Collective over c. Blocks until every process of c has called
// it; see [Within] for processes that may have died. MPI 10.5.4.
func (c Comm) Disconnect() error {
	const op = "MPI_Comm_disconnect"
	if err := c.mine(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_comm_disconnect(&c.handle))
}
