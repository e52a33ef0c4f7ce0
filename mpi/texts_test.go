package mpi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/goacp/goacp/mpi"
)

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		mpi.ThreadSingle.String():                                "MPI_THREAD_SINGLE",
		mpi.ThreadMultiple.String():                              "MPI_THREAD_MULTIPLE",
		mpi.ThreadLevel(4).String():                              "ThreadLevel(4)",
		mpi.Library{}.String():                                   "no MPI",
		mpi.Library{Name: "Open MPI", Version: "4.1.4"}.String(): "Open MPI 4.1.4",
		mpi.ErrBuffer.Error():                                    "MPI_ERR_BUFFER",
		mpi.ErrRMAFlavor.Error():                                 "MPI_ERR_RMA_FLAVOR",
		(mpi.ErrRMAFlavor + 1).Error():                           "Class(38)",
		mpi.Class(0).Error():                                     "Class(0)",
		mpi.Float64.String():                                     "Float64",
		mpi.Type(-1).String():                                    "Type(-1)",
		mpi.NoOp.String():                                        "NoOp",
		mpi.Op(9).String():                                       "Op(9)",
		(&mpi.Error{Op: "MPI_F", Class: mpi.ErrArg, Code: 2, Text: "why\nso\n"}).Error(): "MPI_F: why; so (MPI_ERR_ARG, code 2)",
		(&mpi.Error{Op: "MPI_F", Class: mpi.ErrComm, Text: "no comm"}).Error():           "MPI_F: no comm (MPI_ERR_COMM)",
		(&mpi.AbandonedError{Op: "MPI_F", Cause: context.DeadlineExceeded}).Error():      "MPI_F: abandoned: context deadline exceeded",
	} {
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}

func TestMajor(t *testing.T) {
	for version, want := range map[string]int{"4.1.4": 4, "10.0": 10, "5": 5, "": 0, "(MPI 3.1)": 0} {
		if got := (mpi.Library{Name: "Open MPI", Version: version}).Major(); got != want {
			t.Errorf("%q: %d, expected %d", version, got, want)
		}
	}
}

func TestErrorsUnwrap(t *testing.T) {
	e := &mpi.Error{Class: mpi.ErrPort}
	if !errors.Is(e, mpi.ErrPort) || errors.Is(e, mpi.ErrName) {
		t.Error("an error is not of its class")
	}
	if !errors.Is(&mpi.AbandonedError{Cause: context.Canceled}, context.Canceled) {
		t.Error("an abandoned call hides its cause")
	}
}

func TestTypes(t *testing.T) {
	for typ := mpi.Byte; typ <= mpi.Float64; typ++ {
		want := 1
		switch name := typ.String(); {
		case strings.HasSuffix(name, "64"):
			want = 8
		case strings.HasSuffix(name, "32"):
			want = 4
		case strings.HasSuffix(name, "16"):
			want = 2
		}
		if typ.Size() != want {
			t.Errorf("%v has %d bytes", typ, typ.Size())
		}
	}
	if n := mpi.Type(11).Size(); n != 0 {
		t.Errorf("an unknown type has %d bytes", n)
	}
}
