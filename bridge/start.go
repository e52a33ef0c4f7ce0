package bridge

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/pmi"
	"github.com/goacp/goacp/internal/ground/pmix"
	"github.com/goacp/goacp/mpi"
)

// ErrMPIFinalized says that ACP was started under an MPI launcher after MPI had been
// finalized.
var ErrMPIFinalized = errors.New("started by mpirun, but MPI has been finalized before ACP was initialized")

// Start detects how this process was started and returns the matching bootstrap:
//
//   - by macprun or acprun: the rendezvous that ACP_RENDEZVOUS names;
//   - by the mpirun of the MPI in this build, or with MPI initialized: MPI_COMM_WORLD;
//   - in a build without MPI, by a launcher with PMI or PMIx: its job, see [FromPMI] and [FromPMIx];
//   - none of these: a single process, which needs no network.
//
// It is an error if the launcher of another MPI than its own has started the process, see
// [WrongLauncherError]. Blocks until this process has its number. Over MPI it is collective,
// and initializes MPI if the program has not. Call it on the thread that calls MPI. Not for
// concurrent use.
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
		if env.JobName == "" {
			env.JobName = ownJobName()
		}
		if env.JobRank, err = placeInJob(env, library, found); err != nil {
			return nil, err
		}
		debuglog.Rendezvous.Printf("started by a launcher of ACP, as %s: %s is %s", JobText(env.Job, env.JobName), EnvRendezvous, strings.Join(env.Rendezvous, ","))
		return dialSelf(ctx, env)
	}
	if protocol := hostedBy(os.Getenv, found); protocol != "" && !mpi.Available() {
		debuglog.Rendezvous.Printf("started by a launcher that speaks %s: %s is not set, and the program has no MPI", protocol, EnvRendezvous)
		if protocol == protocolPMI {
			return FromPMI(ctx)
		}
		return FromPMIx(ctx)
	}
	if err := checkLauncher(library, found); err != nil {
		return nil, err
	}
	if !mpi.Available() {
		debuglog.Rendezvous.Printf("alone: no launcher has started this process, and the program has no MPI")
		return Single(), nil
	}
	return startMPI(library, found)
}

// placeInJob returns the number in its job of a process that macprun or acprun has started. It returns -1 if
// no variable has it. acprun's variable takes precedence over those of launchers around acprun. If a process
// without MPI was started by an mpirun, variables of that mpirun give the number as well.
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

// Protocols by which launchers other than those of ACP connect processes without MPI.
const (
	protocolPMI  = "PMI"
	protocolPMIx = "PMIx"
)

// hostedBy returns the protocol of the launcher of this process, or "". The socket of PMI comes from the
// launcher that has started this process itself; variables of PMIx may come from one around that. So PMI
// takes precedence. A process that is alone in its job needs no protocol, and no libpmix.
func hostedBy(getenv func(string) string, found []MPILauncher) string {
	if pmi.Offered(getenv) {
		return protocolPMI
	}
	if l, known := launcherOf("", found); pmix.Offered(getenv) && !(known && l.Size == 1) {
		return protocolPMIx
	}
	return ""
}

func dialSelf(ctx context.Context, e Env) (Bootstrap, error) {
	self, err := LocalIdentity()
	if err != nil {
		return nil, err
	}
	return Dial(ctx, e, self)
}

// startMPI chooses between MPI and a single process.
func startMPI(library string, found []MPILauncher) (Bootstrap, error) {
	l, byLauncher := launcherOf(library, found)
	switch {
	case mpi.Finalized():
		if byLauncher && l.Size > 1 {
			return nil, ErrMPIFinalized
		}
		debuglog.Rendezvous.Printf("alone: MPI has been finalized")
		return Single(), nil
	case byLauncher || mpi.Initialized():
		debuglog.Rendezvous.Printf("the run is MPI_COMM_WORLD of %s: launched by it %v, initialized by the program %v", library, byLauncher, mpi.Initialized())
		return FromMPI()
	}
	debuglog.Rendezvous.Printf("alone: neither a launcher of ACP nor one of %s has started this process", library)
	return Single(), nil
}
