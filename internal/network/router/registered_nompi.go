//go:build !mpi

package router

import "github.com/goacp/goacp/internal/network/driver"

// withMPI is empty: this build has no MPI.
var withMPI []driver.Driver
