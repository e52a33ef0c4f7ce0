//go:build !mpi

package network

import "github.com/goacp/goacp/internal/fabric/driver"

// withMPI has the fabrics that need MPI, which this build has not.
var withMPI []driver.Driver
