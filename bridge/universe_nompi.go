//go:build !mpi

package bridge

import (
	"context"

	"github.com/goacp/goacp/mpi"
)

// Universe is the processes that share a communicator of MPI, of which there are
// none in this build.
type Universe struct{}

// Comm returns the zero Comm, since this build has no MPI.
func (u *Universe) Comm() mpi.Comm { return mpi.Comm{} }

// Close does nothing, since this build has no MPI.
func (u *Universe) Close() error { return nil }

// A process without MPI is in no group, so that none of these is called.

type footing struct{}

func (f *footing) prepare(*joining) readiness              { return readiness{problem: mpi.ErrUnavailable.Error()} }
func (f *footing) try(context.Context, string, bool) error { return mpi.ErrUnavailable }
func (j *joining) openPorts(int) ([]string, string)        { return nil, mpi.ErrUnavailable.Error() }
func (j *joining) build(context.Context, []int) (*Universe, MPIRank, error) {
	return nil, 0, mpi.ErrUnavailable
}
