//go:build mpi

package mpi_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

func TestMain(m *testing.M) { mpitest.Main(m, cases) }

// cases run under mpirun.
var cases = map[string]func() error{
	"collectives": collectives,
	"take over":   takeOver,
	"ending":      ending,
	"farewell":    farewells,
	"abort":       abort,
	"error":       failure,
	"all":         all,
	"fatal":       fatal,
	"large":       large,
	"dynamic":     dynamicCase,
	"abandoned":   abandonedCase,
	"jobs":        jobsCase,
	"leaders":     leadersCase,
	"fault":       fault,
	"fault later": faultLater,
}

func TestCollectives(t *testing.T) {
	for _, np := range []int{1, 2, 3, 4, 7} {
		mpitest.Run(t, np, "collectives")
	}
}

func TestTakeOver(t *testing.T) {
	mpitest.Run(t, 2, "take over")
}

// A job must not fail if its processes end without calling the functions that MPI has
// registered for their exit.
func TestEnding(t *testing.T) {
	for range 5 {
		mpitest.Run(t, 3, "ending")
	}
}

// ending checks what MPI_Finalize does in place of the exit. MPICH from 4.1 on registers a
// function of its own.
func ending() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	v := mpi.Vendor()
	if v.Name == "MPICH" && !strings.HasPrefix(v.Version, "4.0.") {
		return mpi.Finalize()
	}
	ran, err := mpitest.AtExit()
	if err == nil {
		err = mpi.Finalize()
	}
	if err != nil {
		return err
	}
	if ofMPI, ofProgram := ran(); ofMPI != (v.Name == "MPICH") || ofProgram {
		return fmt.Errorf("of what is for the exit, that of MPI has run: %v, that of the program: %v", ofMPI, ofProgram)
	}
	return nil
}

func TestError(t *testing.T) {
	mpitest.Run(t, 1, "error")
	var e *mpi.Error
	if err := mpi.CheckBadComm(); !errors.As(err, &e) || e.Text != "MPI is not initialized" {
		t.Errorf("before initialization: %v", err)
	}
}

// UCX must not handle the signals that the Go runtime turns into panics.
func TestFaultsStayPanics(t *testing.T) {
	for _, name := range []string{"fault", "fault later"} {
		// By default Open MPI may do without UCX on one host. MPICH ignores this.
		out, err := mpitest.Job(t, mpi.Vendor().Name, 2, name, "OMPI_MCA_pml=ucx",
			"OMPI_MCA_opal_common_ucx_tls=any", "OMPI_MCA_opal_common_ucx_devices=any")
		if err != nil || strings.Contains(out, "UCX_ERROR_SIGNALS") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

func TestAbort(t *testing.T) {
	out, err := mpitest.Job(t, mpi.Vendor().Name, 3, "abort")
	if err == nil {
		t.Errorf("mpirun reports success\n%s", out)
	}
}

func TestBeforeInitialization(t *testing.T) {
	if !mpi.Available() || mpi.Initialized() || mpi.Finalized() || mpi.Owned() {
		t.Errorf("available %v, initialized %v, finalized %v, owned %v",
			mpi.Available(), mpi.Initialized(), mpi.Finalized(), mpi.Owned())
	}
	if n, told := mpi.AppNumber(); told {
		t.Errorf("before MPI is initialized, the program has number %d", n)
	}
	v := mpi.Vendor()
	text, err := mpi.LibraryVersion()
	if err != nil {
		t.Fatal(err)
	}
	// The headers and the library must be of one MPI.
	if v.Name == "" || !strings.Contains(text, v.Version) {
		t.Errorf("compiled with %v, linked with %s", v, text)
	}
	if strings.ContainsRune(text, 0) || strings.TrimSpace(text) != text {
		t.Errorf("version %q", text)
	}
}

func collectives() error {
	provided, err := mpi.InitThread(mpi.ThreadMultiple)
	if err != nil {
		return err
	}
	if level, err := mpi.QueryThread(); err != nil || level != provided || level != mpi.ThreadMultiple {
		return fmt.Errorf("provided %v, then %v, %v", provided, level, err)
	}
	if n, told := mpi.AppNumber(); !told || n != 0 {
		return fmt.Errorf("the only program has number %d, %v", n, told)
	}
	world := mpi.World()
	comm, err := world.Dup()
	if err != nil {
		return err
	}
	rank, err := comm.Rank()
	if err != nil {
		return err
	}
	size, err := comm.Size()
	if err != nil {
		return err
	}
	if err := errors.Join(gather(comm, rank, size), gatherUneven(comm, rank, size), comm.Barrier()); err != nil {
		return err
	}
	if err := world.Free(); err == nil {
		return errors.New("the world communicator was freed")
	}
	if err := comm.Free(); err != nil {
		return err
	}
	if err := mpi.Finalize(); err != nil {
		return err
	}
	if !mpi.Finalized() || !mpi.Initialized() {
		return errors.New("MPI does not know that it was finalized")
	}
	return nil
}

// pattern returns the n bytes that a rank passes.
func pattern(rank, n int) []byte { return bytes.Repeat([]byte{byte(rank + 1)}, n) }

func gather(comm mpi.Comm, rank, size int) error {
	for _, n := range []int{0, 1, 8, 100000} {
		all, err := comm.Allgather(pattern(rank, n))
		if err != nil {
			return err
		}
		var want []byte
		for r := range size {
			want = append(want, pattern(r, n)...)
		}
		if !bytes.Equal(all, want) {
			return fmt.Errorf("allgather of %d bytes: wrong result", n)
		}
	}
	return nil
}

func gatherUneven(comm mpi.Comm, rank, size int) error {
	counts := make([]int, size)
	var want []byte
	for r := range size {
		counts[r] = 1000 * ((r + 1) % 3)
		want = append(want, pattern(r, counts[r])...)
	}
	all, err := comm.Allgatherv(pattern(rank, counts[rank]), counts)
	if err != nil {
		return err
	}
	if !bytes.Equal(all, want) {
		return errors.New("allgatherv: wrong result")
	}
	if _, err := comm.Allgatherv(pattern(rank, counts[rank]+1), counts); err == nil {
		return errors.New("allgatherv took more bytes than were counted")
	}
	if _, err := comm.Allgatherv(nil, counts[:size-1]); err == nil {
		return errors.New("allgatherv took fewer counts than there are processes")
	}
	return nil
}

func TestBeforeFinalize(t *testing.T) {
	mpitest.Run(t, 2, "farewell")
	if _, err := mpi.BeforeFinalize(func() {}); err == nil {
		t.Error("before initialization: no error")
	}
}

// farewells registers three functions for the end and takes one of them back.
func farewells() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	calls, begun := 0, 0
	works := errors.New("not called")
	for range 2 {
		if _, err := mpi.BeforeFinalize(func() {
			calls++
			if mpi.Finalizing() {
				begun++
			}
			works = mpi.World().Barrier()
		}); err != nil {
			return err
		}
	}
	cancel, err := mpi.BeforeFinalize(func() { calls += 100 })
	if err != nil {
		return err
	}
	if err := cancel(); err != nil {
		return err
	}
	if calls != 0 || mpi.Finalizing() {
		return fmt.Errorf("%d calls before the end, finalizing: %v", calls, mpi.Finalizing())
	}
	if err := mpi.Finalize(); err != nil {
		return err
	}
	if begun != 2 || !mpi.Finalizing() {
		return fmt.Errorf("%d calls of 2 have seen the end, which is over: %v", begun, mpi.Finalizing())
	}
	if calls != 2 || works != nil {
		return fmt.Errorf("%d calls at the end, expected 2; MPI then: %v", calls, works)
	}
	return nil
}

func takeOver() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	if !mpi.Owned() {
		return errors.New("initialized here but not owned")
	}
	if multiple, err := mpitest.InitThread(); err != nil || !multiple {
		return fmt.Errorf("the program's MPI_Init_thread: %v, %v", multiple, err)
	}
	if mpi.Owned() {
		return errors.New("owned although the program has taken over")
	}
	if err := mpi.World().Barrier(); err != nil {
		return err
	}
	return mpitest.Finalize()
}

func fault() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	return errors.Join(dereference(nil), mpi.Finalize())
}

// faultLater is fault in a program that initializes MPI itself.
func faultLater() error {
	if err := mpitest.Init(); err != nil {
		return err
	}
	return errors.Join(dereference(nil), mpitest.Finalize())
}

// dereference reads through a nil pointer and recovers.
func dereference(p *int) (err error) {
	defer func() {
		if recover() == nil {
			err = errors.New("reading through nil did not panic")
		}
	}()
	return fmt.Errorf("nil points to %d", *p)
}

func failure() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	var e *mpi.Error
	if err := mpi.CheckBadComm(); !errors.As(err, &e) || e.Op != "MPI_Barrier" || !errors.Is(err, mpi.ErrComm) ||
		!strings.Contains(strings.ToLower(e.Text), "communicator") {
		return fmt.Errorf("MPI_ERR_COMM became %#v", err)
	}
	return mpi.Finalize()
}

func abort() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	rank, err := mpi.World().Rank()
	if err != nil {
		return err
	}
	if rank == 1 {
		return mpi.World().Abort(3)
	}
	return mpi.World().Barrier() // never ends
}
