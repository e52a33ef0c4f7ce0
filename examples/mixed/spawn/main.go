//go:build mpi

// Spawn is a program of MPI and ACP that enlarges itself: each MPI job starts as many
// processes again by MPI_Comm_spawn, and shares a window with them. Together they
// compute pi; the jobs put their parts together by ACP.
//
//	macpgo -o spawn_go ./spawn
//	macprun spawn/spawn.inputfile
//
// Where MPI cannot start processes (MPICH over UCX), the job does the work alone.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/mpi"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "spawn:", err)
		os.Exit(1)
	}
}

func run() error {
	if err := settings(); err != nil {
		return err
	}
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	parents, err := mpi.Parent()
	if err != nil {
		return err
	}
	if !parents.IsNull() {
		err = help(parents)
	} else {
		err = lead()
	}
	return errors.Join(err, mpi.Finalize())
}

// settings lets Open MPI make windows over processes of two jobs, unless the user has
// chosen otherwise. Other MPIs do not look at it. The spawned processes get them, too.
func settings() error {
	for name, value := range map[string]string{
		"OMPI_MCA_pml":                       "ucx",
		"OMPI_MCA_osc":                       "ucx",
		"OMPI_MCA_opal_common_ucx_tls":       "any",
		"OMPI_MCA_opal_common_ucx_devices":   "any",
		"OMPI_MCA_coll":                      "^han",
		"OMPI_MCA_rmaps_base_oversubscribe":  "1",
		"OMPI_MCA_mpi_yield_when_idle":       "1",
		"OMPI_MCA_hwloc_base_binding_policy": "none",
	} {
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// lead is what the processes do that the launcher has started. They are the ranks of
// ACP.
func lead() error {
	p, err := acp.Init(context.Background())
	if err != nil {
		return err
	}
	sum, helpers, err := enlarged(int(p.Rank()), p.Procs())
	if err == nil {
		err = collect(p, sum, helpers)
	}
	if err != nil {
		p.Abort(err.Error())
	}
	return p.Finalize()
}

// enlarged starts helpers and computes part number part of parts with them. It returns
// the result, and on one process of the job the number of helpers.
func enlarged(part, parts int) (sum float64, helpers int, err error) {
	c, err := enlarge(mpi.World())
	if err != nil {
		return 0, 0, err
	}
	rank, err := c.Rank()
	if err != nil {
		return 0, 0, err
	}
	if rank == 0 {
		size, err := c.Size()
		if err != nil {
			return 0, 0, err
		}
		helpers = size - c.leaders
	}
	b, err := openBoard(c)
	if err != nil {
		return 0, 0, err
	}
	b.publish(part, parts)
	if err := b.work(c); err != nil {
		return 0, 0, err
	}
	sum = b.sum()
	return sum, helpers, errors.Join(b.win.Free(), c.leave())
}

// help is what the spawned processes do.
func help(parents mpi.Comm) error {
	c, err := join(mpi.World(), parents, true)
	if err != nil {
		return err
	}
	b, err := openBoard(c)
	if err != nil {
		return err
	}
	return errors.Join(b.work(c), b.win.Free(), c.leave())
}
