package acp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// coupled are the jobs of a run.
var coupled = []bridge.Job{{Name: "ocean", Size: 2}, {Name: "ice", Size: 1}, {Name: "atmosphere", Size: 3}}

// runCoupled runs body on each rank of the jobs.
func runCoupled(t *testing.T, cfg acp.Config, body func(p *member) error) {
	t.Helper()
	newWorldOf(t, coupled...).run(6, func(int) acp.Config { return cfg }, body)
}

// checkJobs compares the jobs of p with their members. rankOf returns the rank that a member has now.
func checkJobs(p *acp.Process, rankOf func(member int) acp.Rank) error {
	jobs := p.Jobs()
	if len(jobs) != len(coupled) {
		return fmt.Errorf("%d jobs", len(jobs))
	}
	member := 0
	for j, want := range coupled {
		var ranks []acp.Rank
		for range want.Size {
			ranks = append(ranks, rankOf(member))
			member++
		}
		job, found := p.FindJob(want.Name)
		if !found || job != jobs[j] || job.Number != j || job.Name != want.Name || job.Procs() != want.Size {
			return fmt.Errorf("job %d is %+v, %+v, %v", j, jobs[j], job, found)
		}
		if got := job.Ranks(); !slices.Equal(got, ranks) {
			return fmt.Errorf("%s has ranks %v, want %v", job.Name, got, ranks)
		}
		for i, rank := range ranks {
			if of, err := p.JobOf(rank); err != nil || of != job || job.Rank(i) != rank {
				return fmt.Errorf("rank %d is of %+v, %v; process %d of %s has rank %d", rank, of, err, i, job.Name, job.Rank(i))
			}
		}
	}
	return nil
}

// TestJobs: every rank gets the names and ranks of all jobs, also after Reset has renumbered them.
func TestJobs(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			runCoupled(t, acp.Config{Mode: mode}, func(p *member) error {
				if err := checkJobs(p.Process, func(m int) acp.Rank { return acp.Rank(m) }); err != nil {
					return err
				}
				renumbered := func(m int) acp.Rank { return acp.Rank(5*m+2) % 6 }
				if err := p.Reset(renumbered(int(p.Rank()))); err != nil {
					return err
				}
				return checkJobs(p.Process, renumbered)
			})
		})
	}
}

// TestNoSuchJob: no job is found for names and ranks that the run does not have.
func TestNoSuchJob(t *testing.T) {
	runCoupled(t, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		for _, name := range []string{"", "Ocean", "oce", "ocean "} {
			if job, found := p.FindJob(name); found || job != (acp.Job{}) {
				return fmt.Errorf("%q is the job %+v", name, job)
			}
		}
		for _, rank := range []acp.Rank{-1, 6} {
			if _, err := p.JobOf(rank); !errors.Is(err, acp.ErrBadRank) {
				return fmt.Errorf("rank %d: %v", rank, err)
			}
		}
		return nil
	})
}

// TestOneJob: a process that no launcher has started is a job with the name of its program.
func TestOneJob(t *testing.T) {
	p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single(), Mode: bridge.ModeSHM})
	if err != nil {
		t.Fatal(err)
	}
	job, err := p.JobOf(0)
	if jobs := p.Jobs(); err != nil || len(jobs) != 1 || job != jobs[0] || job.Name != filepath.Base(os.Args[0]) || job.Procs() != 1 {
		t.Errorf("jobs %+v, that of rank 0 is %+v, %v", jobs, job, err)
	}
	if err := p.Finalize(); err != nil {
		t.Error(err)
	}
}
