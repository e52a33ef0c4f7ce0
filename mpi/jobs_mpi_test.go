//go:build mpi

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
)

// TestJobs connects jobs that were started apart.
func TestJobs(t *testing.T) {
	options := mpitest.NameServer(t)
	env := append(mpitest.Windows(), "MPI_TEST_SERVICE="+t.Name()+fmt.Sprint(os.Getpid()))
	var jobs []*mpitest.Started
	for i, np := range []int{1, 2, 3} {
		jobs = append(jobs, mpitest.Start(t, options, np, "jobs", append(env, fmt.Sprintf("MPI_TEST_JOB=%d", i))...))
	}
	for i, j := range jobs {
		if out, err := j.Wait(); err != nil {
			t.Errorf("job %d: %v\n%s", i, err, out)
		}
	}
}

// jobsCase is one of three jobs. The first accepts the others one after the other, each
// at a port of its own. Jobs that have connected take part in the next accept.
func jobsCase() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	if has, err := hasDynamic(); !has {
		return errors.Join(err, mpi.Finalize())
	}
	w, err := newWorld()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	job, err := strconv.Atoi(os.Getenv("MPI_TEST_JOB"))
	if err != nil {
		return err
	}
	host := job == 0 && w.rank == 0
	made := []mpi.Comm{w.comm}
	for i := max(job, 1); i < 3; i++ {
		service := fmt.Sprint(os.Getenv("MPI_TEST_SERVICE"), i)
		port := ""
		switch {
		case host:
			port, err = mpi.OpenPort(mpi.Info{})
			err = errors.Join(err, mpi.PublishName(ctx, service, port, mpi.Info{}))
		case i == job && w.rank == 0:
			port, err = published(ctx, service)
		}
		if err != nil {
			return err
		}
		comm, meet := made[len(made)-1], mpi.Comm.Accept
		if i == job {
			meet = mpi.Comm.Connect
		}
		inter, err := meet(comm, ctx, port, mpi.Info{}, 0)
		if err != nil {
			return err
		}
		all, err := inter.Merge(i == job)
		if err != nil {
			return err
		}
		made = append(made, inter, all)
		if host {
			if err := errors.Join(mpi.UnpublishName(ctx, service, port, mpi.Info{}), mpi.ClosePort(port)); err != nil {
				return err
			}
		}
	}
	all, err := made[len(made)-1].Dup()
	if err != nil {
		return err
	}
	if n, err := all.Size(); err != nil || n != 1+2+3 {
		return fmt.Errorf("%d processes were joined, %v", n, err)
	}
	if err := ring(all); err != nil {
		return err
	}
	for _, comm := range slices.Backward(append(made, all)) {
		if err := comm.Disconnect(); err != nil {
			return err
		}
	}
	return mpi.Finalize()
}

// TestLeaders connects two jobs by one process of each, as docs/mpi-binding.md
// recommends.
func TestLeaders(t *testing.T) {
	options := mpitest.NameServer(t)
	env := append(mpitest.Windows(), "OMPI_MCA_osc=ucx", "MPI_TEST_SERVICE="+t.Name()+fmt.Sprint(os.Getpid()))
	one := mpitest.Start(t, options, 2, "leaders", append(env, "MPI_TEST_JOB=0")...)
	other := mpitest.Start(t, options, 3, "leaders", append(env, "MPI_TEST_JOB=1")...)
	for _, job := range []*mpitest.Started{one, other} {
		if out, err := job.Wait(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

func leadersCase() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	if has, err := hasDynamic(); !has {
		return errors.Join(err, mpi.Finalize())
	}
	w, err := newWorld()
	if err != nil {
		return err
	}
	accepts := os.Getenv("MPI_TEST_JOB") == "0"
	made := []mpi.Comm{w.comm}
	var bridge mpi.Comm
	if w.rank == 0 {
		inter, err := leadersMeet(accepts)
		if err != nil {
			return err
		}
		if bridge, err = inter.Merge(!accepts); err != nil {
			return err
		}
		made = append(made, inter, bridge)
	}
	other := 1
	if !accepts {
		other = 0
	}
	both, err := w.comm.CreateInter(0, bridge, other, 3)
	if err != nil {
		return err
	}
	all, err := both.Merge(!accepts)
	if err != nil {
		return err
	}
	if n, err := all.Size(); err != nil || n != 2+3 {
		return fmt.Errorf("%d processes were joined, %v", n, err)
	}
	if err := ring(all); err != nil {
		return err
	}
	for _, comm := range slices.Backward(append(made, both, all)) {
		if err := comm.Disconnect(); err != nil {
			return err
		}
	}
	return mpi.Finalize()
}

// leadersMeet connects this process with one of the other job.
func leadersMeet(accepts bool) (mpi.Comm, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	service := os.Getenv("MPI_TEST_SERVICE")
	if !accepts {
		port, err := published(ctx, service)
		if err != nil {
			return mpi.Comm{}, err
		}
		return mpi.Self().Connect(ctx, port, mpi.Info{}, 0)
	}
	port, err := mpi.OpenPort(mpi.Info{})
	if err != nil {
		return mpi.Comm{}, err
	}
	if err := mpi.PublishName(ctx, service, port, mpi.Info{}); err != nil {
		return mpi.Comm{}, err
	}
	inter, err := mpi.Self().Accept(ctx, port, mpi.Info{}, 0)
	return inter, errors.Join(err, mpi.UnpublishName(ctx, service, port, mpi.Info{}), mpi.ClosePort(port))
}

// published waits until a service is published.
func published(ctx context.Context, service string) (string, error) {
	for {
		port, err := mpi.LookupName(ctx, service, mpi.Info{})
		if !errors.Is(err, mpi.ErrName) {
			return port, err
		}
		time.Sleep(time.Millisecond)
	}
}
