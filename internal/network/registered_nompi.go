//go:build !mpi

package network

import "github.com/goacp/goacp/internal/fabric/driver"

// withMPI is empty: this build has no MPI.
var withMPI []driver.Driver
