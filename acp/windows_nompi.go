//go:build !mpi

package acp

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/fabric/segment"
)

// windows is what this process has of windows of MPI: nothing in this build.
type windows struct{}

func (w *windows) fabric() fabric.Fabric { return nil }

func (w *windows) calls() unsafe.Pointer { return nil }

func (w *windows) renumber(*Process) {}

func (w *windows) spin() {}

func (w *windows) notice(*Process, int, uint32, uint64) {}

func (w *windows) settle(func() error) error { return nil }

func (w *windows) serve([]byte, []byte) (int, error) {
	return 0, fmt.Errorf("no service %d", serviceRegion)
}

func (w *windows) close(bool) error { return nil }

// watchMPI watches for MPI_Finalize, of which there is none in this build.
func (p *Process) watchMPI() error { return nil }

// ignoreMPI undoes watchMPI.
func (p *Process) ignoreMPI() error { return nil }

func (p *Process) openWindows(segment.Run) error { return nil }
