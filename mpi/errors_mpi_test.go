//go:build mpi

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

func classes(world) error {
	for c := mpi.ErrBuffer; ; c++ {
		got, name := mpi.ClassOf(c)
		if name == "" {
			if c != mpi.ErrRMAFlavor+1 {
				return fmt.Errorf("the shim has no class %v", c)
			}
			return nil
		}
		if got != c || name != c.Error() {
			return fmt.Errorf("class %v is %q in the shim and becomes %v", c, name, got)
		}
	}
}

// mistakes checks that mistakes are errors and do not end the process.
func mistakes(w world) error {
	var none mpi.Comm
	_, errSize := none.Size()
	_, errDup := none.Dup()
	_, errRemote := w.comm.RemoteSize()
	_, errMerge := w.comm.Merge(false)
	_, errGroup := mpi.Group{}.Size()
	_, errSplit := w.comm.Split(-2, 0)
	_, errInit := mpi.InitThread(mpi.ThreadSingle)
	_, _, errAllocate := w.comm.AllocateWin(-1, 1, mpi.Info{})
	_, errUnit := w.comm.CreateWin(nil, 0, mpi.Info{})
	_, errRecv := w.comm.Irecv(nil, w.size, 0)
	return errors.Join(
		expect("no communicator", errSize, mpi.ErrComm),
		expect("copy of no communicator", errDup, mpi.ErrComm),
		expect("remote size of a half", errRemote, mpi.ErrComm),
		expect("merging a half", errMerge, mpi.ErrComm),
		expect("no group", errGroup, mpi.ErrGroup),
		expect("a color of -2", errSplit, mpi.ErrArg),
		expect("second initialization", errInit, mpi.ErrOther),
		expect("negative window", errAllocate, mpi.ErrSize),
		expect("unit of 0", errUnit, mpi.ErrDisp),
		expect("rank outside the communicator", w.comm.Send(nil, w.size, 0), mpi.ErrRank),
		expect("receive from outside", errRecv, mpi.ErrRank),
		expect("the world as well", mpi.World().Send(nil, w.size, 0), mpi.ErrRank),
		expect("self as well", mpi.Self().Send(nil, 1, 0), mpi.ErrRank),
		expect("freeing self", mpi.Self().Free(), mpi.ErrComm),
		expect("disconnecting the world", mpi.World().Disconnect(), mpi.ErrComm),
		expect("no window", mpi.Win{}.FlushAll(), mpi.ErrWin),
		expect("put to no window", mpi.Win{}.Put(nil, 0, 0), mpi.ErrWin),
	)
}

// TestFatal: if the program has initialized MPI, errors of World stay fatal until the
// program calls ReturnErrors. Errors of calls on no communicator are returned.
func TestFatal(t *testing.T) {
	if out, err := mpitest.Job(t, mpi.Vendor().Name, 1, "fatal", "MPI_TEST_FATAL=1"); err == nil {
		t.Errorf("an error on World did not end the process\n%s", out)
	}
	mpitest.Run(t, 1, "fatal")
}

func timeLimits(w world) error {
	told := errors.New("told")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, ctx := range []context.Context{ctx, context.Background()} {
		if err := mpi.Within(ctx, "call", func() error { return told }); !errors.Is(err, told) {
			return fmt.Errorf("outcome within the limit: %v", err)
		}
	}
	cancel()
	called := false
	err := mpi.Within(ctx, "call", func() error { called = true; return nil })
	if !errors.Is(err, context.Canceled) || called {
		return fmt.Errorf("outcome after the end: %v, called %v", err, called)
	}
	// The call ends only after it was abandoned.
	ctx, cancel = context.WithCancel(context.Background())
	entered, leave, left := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() { <-entered; cancel() }()
	err = mpi.Within(ctx, "call", func() error {
		close(entered)
		<-leave
		close(left)
		return nil
	})
	var abandoned *mpi.AbandonedError
	if !errors.As(err, &abandoned) || abandoned.Op != "call" || !errors.Is(err, context.Canceled) {
		return fmt.Errorf("abandoned call: %v", err)
	}
	if err := expect("Finalize with an abandoned call", mpi.Finalize(), mpi.ErrPending); err != nil {
		return err
	}
	close(leave)
	<-left
	for mpi.AbandonedCalls() > 0 {
		runtime.Gosched()
	}
	return nil
}

// fatal is a program that initializes MPI itself.
func fatal() error {
	if err := mpitest.Init(); err != nil {
		return err
	}
	if _, err := mpi.LookupName(context.Background(), "goacp: never published", mpi.Info{}); err == nil {
		return errors.New("found a service that no process has published")
	}
	if os.Getenv("MPI_TEST_FATAL") != "" {
		_ = mpi.World().Send(nil, 1, 0) // does not return
		return mpitest.Finalize()
	}
	if err := mpi.ReturnErrors(); err != nil {
		return err
	}
	if err := expect("rank outside", mpi.World().Send(nil, 1, 0), mpi.ErrRank); err != nil {
		return err
	}
	return mpitest.Finalize()
}
