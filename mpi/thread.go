package mpi

import (
	"errors"
	"fmt"
)

// ErrUnavailable says that this build has no MPI.
var ErrUnavailable = errors.New("mpi: this build has no MPI (build tag mpi)")

// ThreadLevel is what MPI allows threads to do, in the order of MPI.
type ThreadLevel int

// The thread levels of MPI.
const (
	ThreadSingle     ThreadLevel = iota // the process has one thread
	ThreadFunneled                      // only the thread that initialized MPI calls it
	ThreadSerialized                    // any thread, one at a time
	ThreadMultiple                      // any thread at any time
)

var threadNames = [...]string{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"}

// String returns MPI's name of the level.
func (l ThreadLevel) String() string {
	if l < 0 || int(l) >= len(threadNames) {
		return fmt.Sprintf("ThreadLevel(%d)", int(l))
	}
	return threadNames[l]
}

// Library names an implementation of MPI.
type Library struct {
	Name    string // Open MPI, MPICH, or another; empty without MPI
	Version string // such as 4.1.4, of the headers that were compiled with
}

// String returns name and version.
func (l Library) String() string {
	if l.Name == "" {
		return "no MPI"
	}
	return l.Name + " " + l.Version
}

// Error is a failed call of MPI.
type Error struct {
	Func  string // such as MPI_Comm_dup
	Class int    // error class, the same number in every MPI
	Code  int    // error code of this MPI
	Text  string // MPI's own words
}

// Error names the function and repeats MPI's words.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s (class %d, code %d)", e.Func, e.Text, e.Class, e.Code)
}
