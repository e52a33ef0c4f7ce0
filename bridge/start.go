package bridge

import (
	"context"
	"errors"
	"os"

	"github.com/goacp/goacp/mpi"
)

// ErrMPIFinalized says that ACP was started under an MPI launcher after MPI
// had ended.
var ErrMPIFinalized = errors.New("started by mpirun, but MPI has been finalized before ACP was initialized")

// Start finds out how this process was started and returns the bootstrap for
// it:
//
//   - by macprun or acprun: the rendezvous that ACP_RENDEZVOUS names;
//   - by the mpirun of the MPI in this build, or with MPI initialized: MPI_COMM_WORLD;
//   - neither: a single process, which needs no network.
//
// A process that was started by the launcher of another MPI than its own is an
// error, see [WrongLauncherError]. Blocks until this process has its number;
// over MPI it is collective and, if MPI has not been initialized, initializes
// it. Call it on the thread that calls MPI. Not for concurrent use.
func Start(ctx context.Context) (Bootstrap, error) {
	found, err := MPILaunchers(os.Getenv)
	if err != nil {
		return nil, err
	}
	env, launched, err := EnvFromOS(os.Getenv)
	if err != nil {
		return nil, err
	}
	library := mpi.Vendor().Name
	if launched {
		if env.JobRank, err = placeInJob(env, library, found); err != nil {
			return nil, err
		}
		return dialSelf(ctx, env)
	}
	if err := checkLauncher(library, found); err != nil {
		return nil, err
	}
	if !mpi.Available() {
		return Single(), nil
	}
	return startMPI(library, found)
}

// placeInJob returns the number in its job of a process that was started by
// macprun or acprun, or -1 if nobody has told it. What acprun says counts more
// than launchers around acprun. A process without MPI may be started by any
// mpirun, which then only makes it several.
func placeInJob(e Env, library string, found []MPILauncher) (int, error) {
	if e.JobRank >= 0 {
		return e.JobRank, nil
	}
	if library != "" {
		if err := checkLauncher(library, found); err != nil {
			return -1, err
		}
	}
	return jobRank(library, found), nil
}

func dialSelf(ctx context.Context, e Env) (Bootstrap, error) {
	self, err := LocalIdentity()
	if err != nil {
		return nil, err
	}
	return Dial(ctx, e, self)
}

// startMPI decides between MPI and a single process.
func startMPI(library string, found []MPILauncher) (Bootstrap, error) {
	l, byLauncher := launcherOf(library, found)
	switch {
	case mpi.Finalized():
		if byLauncher && l.Size > 1 {
			return nil, ErrMPIFinalized
		}
		return Single(), nil
	case byLauncher || mpi.Initialized():
		return FromMPI()
	}
	return Single(), nil
}
