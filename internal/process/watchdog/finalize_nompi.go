//go:build !mpi

package watchdog

// mpiFinalize has nothing to watch, because this build has no MPI.
type mpiFinalize struct{}

func (mpiFinalize) end() error { return nil }

// MPIFinalize does nothing in this build.
func (*Watchdog) MPIFinalize() error { return nil }

// MPIFinalizing is not called in this build.
func (*Watchdog) MPIFinalizing() {}
