//go:build !mpi

package mpi_test

import (
	"errors"
	"testing"

	"github.com/goacp/goacp/mpi"
)

func TestWithoutMPI(t *testing.T) {
	if mpi.Available() || mpi.Initialized() || mpi.Finalized() || mpi.Owned() || mpi.Vendor() != (mpi.Library{}) {
		t.Error("a build without MPI claims to have it")
	}
	if n, told := mpi.AppNumber(); told {
		t.Errorf("a build without MPI has program number %d", n)
	}
	for name, call := range map[string]func() error{
		"InitThread":     func() error { _, err := mpi.InitThread(mpi.ThreadSingle); return err },
		"QueryThread":    func() error { _, err := mpi.QueryThread(); return err },
		"LibraryVersion": func() error { _, err := mpi.LibraryVersion(); return err },
		"Finalize":       mpi.Finalize,
		"Rank":           func() error { _, err := mpi.World().Rank(); return err },
		"Size":           func() error { _, err := mpi.World().Size(); return err },
		"Dup":            func() error { _, err := mpi.World().Dup(); return err },
		"Free":           mpi.World().Free,
		"Barrier":        mpi.World().Barrier,
		"Allgather":      func() error { _, err := mpi.World().Allgather(nil); return err },
		"Allgatherv":     func() error { _, err := mpi.World().Allgatherv(nil, nil); return err },
		"Abort":          func() error { return mpi.World().Abort(1) },
	} {
		if err := call(); !errors.Is(err, mpi.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
