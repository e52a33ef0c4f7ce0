package mpi

import (
	"fmt"
	"strconv"
	"strings"
)

// ThreadLevel is the level of thread support of MPI, in the order of MPI.
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

// Major returns the first number of the version, 0 if there is none.
func (l Library) Major() int {
	first, _, _ := strings.Cut(l.Version, ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return n
}

// String returns name and version.
func (l Library) String() string {
	if l.Name == "" {
		return "no MPI"
	}
	return l.Name + " " + l.Version
}
