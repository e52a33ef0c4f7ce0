package bridge

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/goacp/goacp/mpi"
)

// Loss is the way in which a member has lost another one. The numbers travel in messages.
type Loss uint8

const (
	// ConnectionBroken: the connection to it has ended. It may be alive.
	ConnectionBroken Loss = iota
	// ProcessEnded: its process has ended.
	ProcessEnded
)

// Bootstrap connects the members of one run at its start and reports the end of the run. There are four: by
// the rendezvous of a launcher of ACP ([Dial]), by another launcher ([FromPMI] and [FromPMIx]), by MPI
// ([FromMPI], and [FromComm] for some processes of MPI), and for a process that is the only one of its run
// ([Single]). [Start] chooses.
type Bootstrap interface {
	// Member returns the number of this process, one of those of its cohort. Does not block.
	// Safe for concurrent use.
	Member() int

	// Cohort returns the members that have started together with this one. A process that has come later is alone. Does
	// not block. Safe for concurrent use.
	Cohort() Cohort

	// Seats returns the number of members that the run can ever have: those of its beginning, those that come later, and guests.
	// Does not block. Safe for concurrent use.
	Seats() int

	// Follow passes each change of the members of other cohorts to f, and the arrival of the own cohort if that
	// is not the one of the beginning. It begins with the changes so far and returns when f has
	// received these; the others follow one by one. It returns the first error of f. A later error ends the run
	// for this member. f does not block. Call it once.
	Follow(f func(Change) error) error

	// CatchUp returns when the function of Follow has got all changes that were announced to any member before
	// the call. Fails if the run is lost, and with ctx's error if ctx is done. Blocks for a round trip to the rendezvous, also while
	// the launcher is stopped; it must not be called by that function. Safe for concurrent use.
	CatchUp(ctx context.Context) error

	// JobRank returns the job of this process and its number in that job. Does not
	// block. Safe for concurrent use.
	JobRank() (job, jobRank int)

	// JobName returns the name of the job in this process: the name from the launcher, or else the base name
	// of the program. If the processes of a job differ, the name in the first process counts, see
	// [Members.JobName]. Does not block. Safe for concurrent use.
	JobName() string

	// JobComm returns the communicator of MPI that has the processes of this process's job
	// with their numbers in it, if MPI has started them: MPI_COMM_WORLD, unless the run has the
	// processes of another communicator. It belongs to the bootstrap. Does not block. Safe for
	// concurrent use.
	JobComm() mpi.Comm

	// Token returns the secret that the members of the run share. Does not block.
	// Safe for concurrent use.
	Token() Token

	// Address returns the address of this host on the route to the launcher. Other hosts may
	// reach this host there too. It returns the zero Addr if there is no such route. Does not
	// block. Safe for concurrent use.
	Address() netip.Addr

	// Exchange gives every member of the cohort, or of its epoch, the blobs of all, in member order. A blob
	// has at most [MaxBlob] bytes and may be empty. The result belongs to the
	// caller.
	//
	// Collective: all members of the cohort make the same sequence of calls. Blocks until every member has
	// called it, so it is a barrier as well. It fails with [Bootstrap.Err] if the run is lost,
	// and with ctx's error if ctx is done. After an error the bootstrap cannot exchange any
	// more. MPI cannot be interrupted, so over MPI Exchange checks ctx only at the beginning.
	// Not for concurrent use.
	Exchange(ctx context.Context, blob []byte) ([][]byte, error)

	// Abort ends the run because of an error in this member. Blocks no longer than a second. Over MPI it
	// writes the reason to standard error unless the member has already written it, because no launcher does,
	// ends the processes with the status, and does not return unless MPI_Finalize has begun. Safe for
	// concurrent use.
	Abort(Abort)

	// ReportLost reports that this member ends because it has lost another one. So the launcher does not take
	// this member for the first one that has died. It does nothing if the launcher is that of MPI, which
	// finds dead processes itself. Blocks until the host of the launcher has the report, the run is over, or
	// the launcher's host counts as dead. Safe for concurrent use.
	ReportLost(member int, how Loss)

	// Lost returns the channel that is closed when the run is over before Close: the launcher
	// has ended, a member has died, or a member has called Abort. Over MPI it is never closed,
	// because MPI ends the process itself. Safe for concurrent use.
	Lost() <-chan struct{}

	// Err returns nil before Lost is closed. Afterwards it returns the reason: an
	// [*AbortError] or an error that wraps [ErrLauncherLost]. Does not block. Safe for
	// concurrent use.
	Err() error

	// Close leaves the run in order. Call it after the last barrier: if a member leaves while other members
	// still exchange, the run ends. Close does not close Lost. It blocks no longer than a few seconds.
	// Further calls do nothing. Not for concurrent use with Exchange.
	Close() error
}

// Cohort is a group of members that have started together: the processes of the beginning of a run, or those that
// have attached to it together. They call collective functions together.
type Cohort struct {
	Number int // 0: that of the beginning
	First  int // its first member; the numbers of the others follow
	Size   int
}

// Newcomer reports whether this is a process of the run itself that has come later and waits to be adopted.
func (c Cohort) Newcomer() bool { return c.Number == 0 && c.First > 0 }

// beginning returns the cohort of a run of size members that begin it.
func beginning(size int) Cohort { return Cohort{Size: size} }

// ErrLauncherLost says that the launcher of the run has ended.
var ErrLauncherLost = errors.New("connection to the launcher lost")

// ErrClosed says that the bootstrap was closed before.
var ErrClosed = errors.New("the bootstrap is closed")

// AbortStatus is the exit status of a process that aborts the run without a status of its own.
const AbortStatus = 255

// Abort describes how a member aborts the run.
type Abort struct {
	Reason   string
	Status   int  // exit status of the process; 0: AbortStatus
	Reported bool // the process has written Reason to standard error
}

// AbortError is the error of a run that was aborted.
type AbortError struct {
	Reason string // one line that names the member where there is one
}

// Error returns the reason.
func (e *AbortError) Error() string { return "the run was aborted: " + e.Reason }

// checkBlob returns an error if a blob is too long for an exchange.
func checkBlob(blob []byte) error {
	if len(blob) > MaxBlob {
		return fmt.Errorf("exchange: %d bytes, at most %d are allowed", len(blob), MaxBlob)
	}
	return nil
}
