//go:build mpi

package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

// world is the argument of a step: a communicator of all processes.
type world struct {
	comm       mpi.Comm
	rank, size int
}

// steps are the tests that run on every number of processes. One job runs all of them,
// because starting a job takes longer than any of them.
var steps = []struct {
	name string
	run  func(world) error
}{
	{"communicators", communicators},
	{"groups", groups},
	{"intercommunicators", intercommunicators},
	{"info", infos},
	{"memory", memories},
	{"messages", messages},
	{"cancel", cancels},
	{"classes", classes},
	{"errors", mistakes},
	{"windows", windows},
	{"shared memory", sharedMemory},
	{"locks", locks},
	{"flushes", flushes},
	{"accumulates", accumulates},
	{"atomics", atomics},
	{"atomics under contention", contention},
	{"requests", requests},
	{"time limits", timeLimits},
}

func TestAll(t *testing.T) {
	for np := 1; np <= 4; np++ {
		t.Run(fmt.Sprint(np), func(t *testing.T) { mpitest.Run(t, np, "all", mpitest.Windows()...) })
	}
}

func all() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	w, err := newWorld()
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := s.run(w); err != nil {
			return fmt.Errorf("rank %d: %s: %w", w.rank, s.name, err)
		}
		if err := w.comm.Barrier(); err != nil {
			return fmt.Errorf("rank %d: after %s: %w", w.rank, s.name, err)
		}
	}
	return errors.Join(w.comm.Free(), mpi.Finalize())
}

func newWorld() (world, error) {
	comm, err := mpi.World().Dup()
	if err != nil {
		return world{}, err
	}
	rank, err := comm.Rank()
	if err != nil {
		return world{}, err
	}
	size, err := comm.Size()
	return world{comm, rank, size}, err
}

// crowded reports whether there are too many processes for two processors if each spins
// while it waits, as those of MPICH do: each answer of another process then takes the
// time slices of the others.
func (w world) crowded() bool { return w.size > 2 }

// right and left are the neighbours in a ring.
func (w world) right() int { return (w.rank + 1) % w.size }
func (w world) left() int  { return (w.rank + w.size - 1) % w.size }

// gatherInts returns the number of each process.
func (w world) gatherInts(mine int) ([]int, error) {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(uint64(mine) >> (8 * i))
	}
	all, err := w.comm.Allgather(b)
	if err != nil {
		return nil, err
	}
	numbers := make([]int, w.size)
	for r := range numbers {
		for i := range b {
			numbers[r] |= int(all[8*r+i]) << (8 * i)
		}
	}
	return numbers, nil
}

// expect returns an error unless err is of the class.
func expect(what string, err error, class mpi.Class) error {
	var e *mpi.Error
	if !errors.Is(err, class) || !errors.As(err, &e) || e.Op == "" || e.Text == "" {
		return fmt.Errorf("%s: %v, expected %v", what, err, class)
	}
	return nil
}
