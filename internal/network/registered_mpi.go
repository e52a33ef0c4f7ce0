//go:build mpi

package network

import (
	"github.com/goacp/goacp/internal/fabric/driver"
	"github.com/goacp/goacp/internal/fabric/rma"
)

// withMPI has the fabrics that need MPI.
var withMPI = []driver.Driver{rma.Driver}
