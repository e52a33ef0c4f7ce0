package mpi_test

import (
	"testing"

	"github.com/goacp/goacp/mpi"
)

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		mpi.ThreadSingle.String():                                           "MPI_THREAD_SINGLE",
		mpi.ThreadMultiple.String():                                         "MPI_THREAD_MULTIPLE",
		mpi.ThreadLevel(4).String():                                         "ThreadLevel(4)",
		mpi.Library{}.String():                                              "no MPI",
		mpi.Library{Name: "Open MPI", Version: "4.1.4"}.String():            "Open MPI 4.1.4",
		(&mpi.Error{Func: "MPI_F", Class: 1, Code: 2, Text: "why"}).Error(): "MPI_F: why (class 1, code 2)",
	} {
		if got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}
