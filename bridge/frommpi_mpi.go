//go:build mpi

package bridge

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/goacp/goacp/mpi"
)

// FromMPI returns the bootstrap of a process that MPI has started: members are the ranks of
// MPI_COMM_WORLD. If MPI has not been initialized, FromMPI initializes it with
// MPI_THREAD_MULTIPLE. Then closing the bootstrap finalizes MPI, unless the program has called
// MPI_Init meanwhile and so has taken MPI over. A bootstrap may be closed after MPI was
// finalized.
//
// Collective over MPI_COMM_WORLD. May block. Call it, Exchange and Close on the thread that
// calls MPI. It fails if MPI has been finalized. It also fails if the world has one process
// although the launcher of another MPI has started several ([*WrongLauncherError]).
func FromMPI() (Bootstrap, error) {
	if mpi.Finalized() {
		return nil, ErrMPIFinalized
	}
	initialized := false
	if !mpi.Initialized() {
		if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
			return nil, err
		}
		initialized = true
	}
	return over(mpi.World(), initialized)
}

// FromComm returns the bootstrap of a run of the processes of a communicator of MPI: members are its ranks.
// Processes that are not in it take no part. FromComm does not use the rendezvous of a launcher. MPI has been
// initialized. The program may free the communicator when FromComm has returned.
//
// Collective over comm. May block. Call it, Exchange and Close on the thread that calls MPI. It fails
// if comm is MPI_COMM_NULL or an intercommunicator, and with [*WrongLauncherError] as FromMPI does.
// [Bootstrap.Abort] ends all processes of MPI_COMM_WORLD.
func FromComm(comm mpi.Comm) (Bootstrap, error) {
	switch {
	case mpi.Finalized():
		return nil, ErrMPIFinalized
	case comm.IsNull():
		return nil, errNull
	}
	inter, err := comm.IsInter()
	switch {
	case err != nil:
		return nil, err
	case inter:
		return nil, errInter
	}
	return over(comm, false)
}

// The reasons why a communicator has no bootstrap.
var (
	errNull  = errors.New("MPI_COMM_NULL has no processes")
	errInter = errors.New("an intercommunicator has two groups of processes")
)

// over returns the bootstrap over a communicator.
func over(comm mpi.Comm, initialized bool) (Bootstrap, error) {
	b := &overMPI{lost: make(chan struct{}), initialized: initialized}
	if err := b.open(comm); err != nil {
		return nil, err
	}
	return b, nil
}

// overMPI is the bootstrap over a duplicate of a communicator.
type overMPI struct {
	comm         mpi.Comm
	member, size int
	token        Token
	lost         chan struct{} // never closed: MPI ends the process itself
	initialized  bool          // by FromMPI, not by the program through package mpi

	mu     sync.Mutex
	closed bool
}

func (b *overMPI) open(comm mpi.Comm) (err error) {
	if err := checkWorldLauncher(); err != nil {
		return err
	}
	if b.member, err = comm.Rank(); err != nil {
		return err
	}
	if b.size, err = comm.Size(); err != nil {
		return err
	}
	if b.comm, err = comm.Dup(); err != nil {
		return err
	}
	b.token, err = agreeOnToken(b.member, b.size, b.comm.Allgatherv)
	return err
}

// checkWorldLauncher returns an error if the world has one process although the launcher of another
// MPI has started several.
func checkWorldLauncher() error {
	size, err := mpi.World().Size()
	if err != nil || size > 1 {
		return err
	}
	found, err := MPILaunchers(os.Getenv)
	if err != nil {
		return err
	}
	return checkLauncher(mpi.Vendor().Name, found)
}

func (b *overMPI) Member() int                   { return b.member }
func (b *overMPI) Cohort() Cohort                { return beginning(b.size) }
func (b *overMPI) Seats() int                    { return b.size }
func (b *overMPI) CatchUp(context.Context) error { return nil }
func (b *overMPI) Lost() <-chan struct{}         { return b.lost }
func (b *overMPI) Err() error                    { return nil }
func (b *overMPI) JobRank() (int, int)           { return 0, b.member }
func (b *overMPI) JobName() string               { return ownJobName() }
func (b *overMPI) JobComm() mpi.Comm             { return b.comm }
func (b *overMPI) Token() Token                  { return b.token }
func (b *overMPI) Address() netip.Addr           { return netip.Addr{} }

// Follow does nothing: no member comes later.
func (b *overMPI) Follow(func(Change) error) error { return nil }

func (b *overMPI) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if err := b.usable(ctx); err != nil {
		return nil, err
	}
	if err := checkBlob(blob); err != nil {
		return nil, err
	}
	lengths, err := b.comm.Allgather(binary.LittleEndian.AppendUint32(nil, uint32(len(blob))))
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	counts := make([]int, b.size)
	for i := range counts {
		counts[i] = int(binary.LittleEndian.Uint32(lengths[4*i:]))
	}
	all, err := b.comm.Allgatherv(blob, counts)
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	blobs := make([][]byte, b.size)
	for i, n := range counts {
		blobs[i], all = all[:n:n], all[n:]
	}
	return blobs, nil
}

func (b *overMPI) usable(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return ErrClosed
	case mpi.Finalized():
		return errors.New("exchange: MPI has been finalized")
	}
	return ctx.Err()
}

// abortOutputTime is how long Abort waits for the launcher to pass the reason on.
const abortOutputTime = 200 * time.Millisecond

// abortLine is what Abort writes. Most reasons begin with the rank.
func abortLine(member int, reason string) string {
	reason = strings.TrimPrefix(reason, "acp: ")
	if strings.HasPrefix(reason, "rank ") {
		return "acp: " + reason
	}
	return fmt.Sprintf("acp: rank %d: %s", member, reason)
}

func (b *overMPI) Abort(a Abort) {
	// MPI_Abort carries no text and does not return, so this process writes the reason.
	if !a.Reported {
		fmt.Fprintln(os.Stderr, abortLine(b.member, a.Reason))
	}
	// As soon as the abort reaches MPICH's launcher, the launcher may drop output that it has not passed on.
	time.Sleep(abortOutputTime)
	// Only the launcher is left to report a failure. Close may have freed the communicator, or
	// may hang in doing so.
	if !mpi.Finalizing() {
		_ = mpi.World().Abort(cmp.Or(a.Status, AbortStatus))
	}
}

// ReportLost does nothing, because the launcher is that of MPI.
func (b *overMPI) ReportLost(int, Loss) {}

func (b *overMPI) Close() error {
	b.mu.Lock()
	again := b.closed
	b.closed = true
	b.mu.Unlock()
	if again || mpi.Finalized() {
		return nil
	}
	err := b.comm.Free()
	if b.initialized && mpi.Owned() {
		err = errors.Join(err, mpi.Finalize())
	}
	return err
}
