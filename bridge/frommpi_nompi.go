//go:build !mpi

package bridge

import "github.com/goacp/goacp/mpi"

// FromMPI returns [mpi.ErrUnavailable], since this build has no MPI.
func FromMPI() (Bootstrap, error) { return nil, mpi.ErrUnavailable }
