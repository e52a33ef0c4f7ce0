//go:build mpi

package mpi

// #include "shim.h"
import "C"

import "unsafe"

// Win is a window: memory that each process of a communicator exposes to the other processes.
// Copies of the value are the same window. The zero value is no window: its methods return
// [ErrWin]. Windows return errors.
//
// A displacement names a byte in the window of another process. It counts in the
// unit that the target passed when the window was made. In a dynamic window it is
// the result of [Address] at the target.
type Win struct {
	handle C.MPI_Win
	made   bool
}

func (w Win) usable(op string) error {
	if !w.made {
		return refuse(op, ErrWin, "not a window")
	}
	return nil
}

// Fortran returns the number of the window in Fortran. C code that is built apart from this
// package gets the window from it by MPI_Win_f2c. Local. Does not block. MPI 17.2.4.
func (w Win) Fortran() int32 { return int32(C.goacp_mpi_win_number(w.handle)) }

// window checks the arguments of functions that make windows.
func (c Comm) window(op string, size, unit int) error {
	if err := c.usable(op); err != nil {
		return err
	}
	if size < 0 {
		return refuse(op, ErrSize, "%d bytes", size)
	}
	if unit < 1 || unit != int(C.int(unit)) {
		return refuse(op, ErrDisp, "a displacement unit of %d bytes", unit)
	}
	return nil
}

// CreateWin returns a window in which this process exposes memory to the other processes. The
// memory may be empty. It is C, mapped or pinned Go memory and stays so until the window is
// freed. The unit of displacements into it is in bytes. Free the window. Collective over c.
// Blocks until every process of c has called it. MPI 11.2.1.
func (c Comm) CreateWin(memory []byte, unit int, info Info) (Win, error) {
	const op = "MPI_Win_create"
	if err := c.window(op, len(memory), unit); err != nil {
		return Win{}, err
	}
	w := Win{made: true}
	err := check(op, C.goacp_mpi_win_create(start(memory), C.MPI_Aint(len(memory)),
		C.int(unit), info.c(), c.handle, &w.handle))
	if err != nil {
		return Win{}, err
	}
	return w, nil
}

// AllocateWin returns a window and size bytes for it in this process. MPI allocates
// the memory, does not clear it, and frees it with the window. Otherwise as
// [Comm.CreateWin]. Collective over c. Blocks until every process of c has called
// it. MPI 11.2.2.
func (c Comm) AllocateWin(size, unit int, info Info) (Win, []byte, error) {
	const op = "MPI_Win_allocate"
	if err := c.window(op, size, unit); err != nil {
		return Win{}, nil, err
	}
	w := Win{made: true}
	var base unsafe.Pointer
	err := check(op, C.goacp_mpi_win_allocate(C.MPI_Aint(size), C.int(unit), info.c(), c.handle, &base, &w.handle))
	if err != nil {
		return Win{}, nil, err
	}
	return w, unsafe.Slice((*byte)(base), size), nil
}

// AllocateSharedWin is [Comm.AllocateWin] with memory that the other processes
// reach with loads and stores, see [Win.Shared]. All processes of c must be able
// to share memory, as those of [Comm.SplitShared] are. Collective over c. Blocks
// until every process of c has called it. MPI 11.2.3.
func (c Comm) AllocateSharedWin(size, unit int, info Info) (Win, []byte, error) {
	const op = "MPI_Win_allocate_shared"
	if err := c.window(op, size, unit); err != nil {
		return Win{}, nil, err
	}
	w := Win{made: true}
	var base unsafe.Pointer
	err := check(op, C.goacp_mpi_win_allocate_shared(C.MPI_Aint(size), C.int(unit), info.c(), c.handle, &base, &w.handle))
	if err != nil {
		return Win{}, nil, err
	}
	return w, unsafe.Slice((*byte)(base), size), nil
}

// Shared returns the memory of a process in a window of
// [Comm.AllocateSharedWin] and its displacement unit in bytes. The memory is freed
// with the window. Fails with [ErrRMAFlavor] on other windows. Local. Does not
// block. MPI 11.2.3.
func (w Win) Shared(rank int) (memory []byte, unit int, err error) {
	const op = "MPI_Win_shared_query"
	if err := w.usable(op); err != nil {
		return nil, 0, err
	}
	var size C.MPI_Aint
	var cUnit C.int
	var base unsafe.Pointer
	err = check(op, C.goacp_mpi_win_shared(w.handle, C.int(rank), &size, &cUnit, &base))
	if err != nil {
		return nil, 0, err
	}
	return unsafe.Slice((*byte)(base), int(size)), int(cUnit), nil
}

// CreateDynamicWin returns a window without memory. [Win.Attach] adds memory.
// Displacements are those of [Address]. Free the window. Collective over c. Blocks
// until every process of c has called it. MPI 11.2.4.
func (c Comm) CreateDynamicWin(info Info) (Win, error) {
	const op = "MPI_Win_create_dynamic"
	if err := c.usable(op); err != nil {
		return Win{}, err
	}
	w := Win{made: true}
	if err := check(op, C.goacp_mpi_win_create_dynamic(info.c(), c.handle, &w.handle)); err != nil {
		return Win{}, err
	}
	return w, nil
}

// Attach exposes memory of this process to the other processes of a dynamic window. The memory
// is C, mapped or pinned Go memory, stays so until it is detached, and does not overlap
// attached memory. MPIs limit the number of pieces: Open MPI with osc/ucx accepts 32. Local.
// May block. MPI 11.2.4.
func (w Win) Attach(memory []byte) error {
	const op = "MPI_Win_attach"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_win_attach(w.handle, start(memory), C.MPI_Aint(len(memory))))
}

// Detach closes memory that was attached; it is named by its first byte. No
// process may be using it. Local. May block. MPI 11.2.4.
func (w Win) Detach(memory []byte) error {
	const op = "MPI_Win_detach"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_win_detach(w.handle, start(memory)))
}

// Unified reports whether the window has the unified memory model: puts of other
// processes and stores of the process go to the same memory, so loads see puts if
// they are ordered. Local. Does not block. MPI 11.4.
func (w Win) Unified() (bool, error) {
	const op = "MPI_Win_get_attr"
	if err := w.usable(op); err != nil {
		return false, err
	}
	var unified C.int
	err := check(op, C.goacp_mpi_win_unified(w.handle, &unified))
	return unified != 0, err
}

// SetInfo gives MPI hints about the window. MPI ignores unknown hints. Collective over the
// processes of the window. May block. MPI 11.2.7.
func (w Win) SetInfo(info Info) error {
	const op = "MPI_Win_set_info"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_set_info(w.handle, info.c()))
}

// Info returns the hints that MPI uses with the window. Free them. Local. Does
// not block. MPI 11.2.7.
func (w Win) Info() (Info, error) {
	const op = "MPI_Win_get_info"
	if err := w.usable(op); err != nil {
		return Info{}, err
	}
	i := Info{made: true}
	if err := check(op, C.MPI_Win_get_info(w.handle, &i.handle)); err != nil {
		return Info{}, err
	}
	return i, nil
}

// Free frees the window, with its memory if MPI has allocated it. No process may
// have the window locked: MPI hangs then. Memory that is attached must be detached
// before. No copy of the value may be used afterwards. Collective over the processes
// of the window. Blocks until each of them has called it. MPI 11.2.5.
func (w Win) Free() error {
	const op = "MPI_Win_free"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_free(&w.handle))
}

// FreeAlone is Free for a process in which no other thread uses windows during the call. With
// Open MPI 5 over tcp, Free may wait forever if several threads have used the window; FreeAlone
// does not. Collective over the processes of the window. Blocks until each of them has called
// it or Free. MPI 11.2.5.
func (w Win) FreeAlone() error {
	const op = "MPI_Win_free"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_win_free_alone(&w.handle))
}
