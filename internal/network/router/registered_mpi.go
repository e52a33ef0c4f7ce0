//go:build mpi

package router

import (
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/rma"
)

// withMPI has the fabrics that need MPI.
var withMPI = []driver.Driver{rma.Driver}
