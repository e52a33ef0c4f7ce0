//go:build !mpi

package bridge

import (
	"context"

	"github.com/goacp/goacp/mpi"
)

// Universe is the processes that share a communicator of MPI. This build has none.
type Universe struct{}

// Comm returns the zero Comm, since this build has no MPI.
func (u *Universe) Comm() mpi.Comm { return mpi.Comm{} }

// Close does nothing, since this build has no MPI.
func (u *Universe) Close() error { return nil }

// A process without MPI is in no group, so these functions are never called.

type mpiState struct{}

func (f *mpiState) prepare(*joining) readiness              { return readiness{problem: mpi.ErrUnavailable.Error()} }
func (f *mpiState) try(context.Context, string, bool) error { return mpi.ErrUnavailable }
func (j *joining) openPorts(int) ([]string, string)         { return nil, mpi.ErrUnavailable.Error() }
func (j *joining) build(context.Context, []int) (*Universe, MPIRank, error) {
	return nil, 0, mpi.ErrUnavailable
}
