//go:build mpi

package bridge

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goacp/goacp/mpi"
)

// Universe is the processes that share a communicator with this one. [Join] makes it.
type Universe struct {
	comm   mpi.Comm
	links  []mpi.Comm // to the jobs that were joined, in that order
	owned  bool       // MPI was initialized for it
	lost   <-chan struct{}
	closed bool
	// unwatch ends the watch for MPI_Finalize.
	unwatch func() error
}

// Comm returns the communicator of the universe. Its ranks are those of
// [Members.InUniverse]. It belongs to the universe, which frees it. Does not block.
func (u *Universe) Comm() mpi.Comm { return u.comm }

// mpiState is the state of MPI in a process that is to join.
type mpiState struct {
	owned bool     // MPI was initialized for it
	alone mpi.Comm // of this process alone, for probing
}

// prepare makes MPI ready for joining in this process, or returns why it cannot.
func (f *mpiState) prepare(j *joining) readiness {
	if mpi.Finalized() {
		return readiness{problem: "MPI has been finalized"}
	}
	if !mpi.Initialized() {
		if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
			return readiness{problem: err.Error()}
		}
		f.owned = true
	}
	if err := j.checkJob(); err != nil {
		return readiness{problem: err.Error()}
	}
	var err error
	if f.alone, err = mpi.Self().Dup(); err != nil {
		return readiness{problem: err.Error()}
	}
	library := mpi.Vendor()
	return readiness{ownJobOnly: joinObstacle(library, os.Getenv), domain: joinDomain(library, os.Getenv)}
}

// checkJob returns an error unless the MPI ranks of the job's processes are their job ranks, and MPI allows
// calls from any thread.
func (j *joining) checkJob() error {
	level, err := mpi.QueryThread()
	if err != nil {
		return err
	}
	if level < mpi.ThreadMultiple {
		return fmt.Errorf("MPI was initialized with %v, not %v", level, mpi.ThreadMultiple)
	}
	job := j.boot.JobComm()
	rank, err := job.Rank()
	if err != nil {
		return err
	}
	size, err := job.Size()
	if err != nil {
		return err
	}
	first, end := j.members.WorldRange(j.job)
	if rank != j.self-first || size != end-first {
		return fmt.Errorf("it is rank %d of %d in MPI_COMM_WORLD, but process %d of %d in its job", rank, size, j.self-first, end-first)
	}
	return nil
}

// openPorts opens n ports, or returns why it cannot.
func (j *joining) openPorts(n int) (ports []string, problem string) {
	for range n {
		port, err := mpi.OpenPort(mpi.Info{})
		if err != nil {
			closePorts(ports)
			return nil, fmt.Sprintf("%v cannot join jobs (MPI_Open_port: %s)", mpi.Vendor(), cause(err))
		}
		ports = append(ports, port)
	}
	return ports, ""
}

// cause returns the last part of a message of MPI, where MPICH writes the cause.
func cause(err error) string {
	text := err.Error()
	var failed *mpi.Error
	if errors.As(err, &failed) {
		text = strings.TrimSpace(failed.Text)
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// closePorts closes ports.
func closePorts(ports []string) {
	for _, port := range ports {
		// The ports are not needed any more. If MPI cannot close a port, the port disappears when the process
		// ends.
		_ = mpi.ClosePort(port)
	}
}

// try connects to another leader at a port and disconnects again.
func (f *mpiState) try(ctx context.Context, port string, accept bool) error {
	connect := f.alone.Connect
	if accept {
		connect = f.alone.Accept
	}
	link, err := connect(ctx, port, mpi.Info{}, 0)
	if err != nil {
		return err
	}
	return mpi.Within(ctx, "MPI_Comm_disconnect", link.Disconnect)
}

// build makes the communicator of the jobs g and returns the rank of this process in it.
func (j *joining) build(ctx context.Context, g []int) (*Universe, MPIRank, error) {
	u := &Universe{owned: j.base.owned, lost: j.boot.Lost()}
	var rank MPIRank
	err := mpi.Within(ctx, "joining", func() (err error) {
		if err := u.gather(j.boot.JobComm(), g, j.job, j.ports); err != nil {
			return err
		}
		rank, err = u.verify(j.self, j.order(g))
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if u.unwatch, err = mpi.BeforeFinalize(func() { j.boot.Abort(Abort{Reason: errEarly.Error()}) }); err != nil {
		return nil, 0, err
	}
	if j.leader(g[0]) == j.self {
		for _, p := range j.ports {
			closePorts([]string{p.trial, p.join})
		}
	}
	return u, rank, j.base.alone.Free()
}

// order returns the members of a group in the order of their ranks in its
// communicator.
func (j *joining) order(g []int) []int {
	var order []int
	for _, job := range g {
		first, end := j.members.WorldRange(job)
		for i := first; i < end; i++ {
			order = append(order, i)
		}
	}
	return order
}

// errEarly ends a run that would hang: MPI_Finalize waits for the other jobs.
var errEarly = errors.New("MPI_Finalize was called before acp_finalize while windows of MPI are in use (network rma): call acp_finalize first")

// gather joins the jobs g one after the other. own is the communicator of this process's job.
func (u *Universe) gather(own mpi.Comm, g []int, job int, ports map[int]joinPorts) (err error) {
	if u.comm, err = own.Dup(); err != nil {
		return err
	}
	ctx := context.Background() // the caller has the limit
	for _, next := range g[1:] {
		if job > next {
			continue
		}
		connect := u.comm.Accept
		if job == next {
			connect = u.comm.Connect
		}
		link, err := connect(ctx, ports[next].join, mpi.Info{}, 0)
		if err != nil {
			return fmt.Errorf("job %d: %w", next, err)
		}
		u.links = append(u.links, link)
		merged, err := link.Merge(job == next)
		if err != nil {
			return fmt.Errorf("job %d: %w", next, err)
		}
		if err := u.comm.Free(); err != nil {
			return err
		}
		u.comm = merged
	}
	return nil
}

// verify returns an error unless the ranks of the communicator are the members in order.
func (u *Universe) verify(self int, order []int) (MPIRank, error) {
	size, err := u.comm.Size()
	if err != nil {
		return 0, err
	}
	if size != len(order) {
		return 0, fmt.Errorf("%d processes in the communicator, expected %d", size, len(order))
	}
	all, err := u.comm.Allgather(binary.LittleEndian.AppendUint32(nil, uint32(self)))
	if err != nil {
		return 0, err
	}
	var want bytes.Buffer
	for _, member := range order {
		want.Write(binary.LittleEndian.AppendUint32(nil, uint32(member)))
	}
	if !bytes.Equal(all, want.Bytes()) {
		return 0, errors.New("the processes in the communicator are not in the order of their ranks")
	}
	return MPIRank(slices.Index(order, self)), nil
}

// Close frees the universe. It finalizes MPI if Join has initialized it and the program has
// not taken it over. If the run is lost or MPI was finalized, Close changes nothing.
// Collective over the universe. Blocks until all have called it or the run is lost. Further
// calls do nothing. Call it on the thread that calls MPI.
func (u *Universe) Close() error {
	if u == nil || u.closed {
		return nil
	}
	u.closed = true
	if mpi.Finalized() {
		return nil
	}
	if err := u.unwatch(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-u.lost:
			cancel(errRunLost)
		case <-done:
		}
	}()
	if err := mpi.Within(ctx, "leaving the universe", u.leave); err != nil {
		return err
	}
	if u.owned && mpi.Owned() {
		return mpi.Finalize()
	}
	return nil
}

// errRunLost: a universe is not freed in order. Some of its processes have ended, and the remaining ones
// would wait for them.
var errRunLost = errors.New("the run is lost")

// leave disconnects from the jobs, the last one first.
func (u *Universe) leave() error {
	if err := u.comm.Free(); err != nil {
		return err
	}
	for _, link := range slices.Backward(u.links) {
		if err := link.Disconnect(); err != nil {
			return err
		}
	}
	return nil
}
