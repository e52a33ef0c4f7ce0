package acp

import (
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/memory/ga"
)

// Job is a part of the run that one launcher has started. Its processes have numbers from 0, as in
// MPI_COMM_WORLD if that launcher is one of MPI. Jobs of one run may be compared by ==.
type Job struct {
	Number int    // from 0, in the order of the description of the run
	Name   string // different from those of other jobs

	first, end int // its members
	ranks      *ga.Ranks
}

// Procs returns the number of processes. Does not block.
func (j Job) Procs() int { return j.end - j.first }

// Rank returns the rank that process i of the job has now, 0 ≤ i < Procs. Does not block.
func (j Job) Rank(i int) Rank {
	if i < 0 || i >= j.Procs() {
		panic("acp: a job has no such process")
	}
	return Rank(j.ranks.Rank(j.first + i))
}

// Ranks returns the ranks that the processes of the job have now, in the order of the processes. The
// slice belongs to the caller. Does not block.
func (j Job) Ranks() []Rank {
	ranks := make([]Rank, j.Procs())
	for i := range ranks {
		ranks[i] = j.Rank(i)
	}
	return ranks
}

// Jobs returns the jobs of the run. A run that acprun or no launcher has started has one
// job. Each program that one launcher of MPI has started (mpirun -np 2 ./ocean : -np 2 ./air) is a job. The description of a run gives names to its jobs; otherwise a job has the base name of its
// program. Local. Does not block.
func (p *Process) Jobs() []Job {
	var jobs []Job
	for _, members := range p.met.Roster.Cohorts() {
		for i := range members.Jobs() {
			jobs = append(jobs, p.job(members, members.FirstJob()+i))
		}
	}
	return jobs
}

// JobOf returns the job of a rank. Fails with ErrBadRank. Local. Does not block.
func (p *Process) JobOf(rank Rank) (Job, error) {
	if err := p.mem.CheckRank(int(rank)); err != nil {
		return Job{}, p.lifeError("job of a rank", err)
	}
	member := p.member(rank)
	members := p.met.Roster.CohortOf(member)
	return p.job(members, members.Job(member)), nil
}

// FindJob returns the job with a name, and whether there is one. Local. Does not block.
func (p *Process) FindJob(name string) (job Job, found bool) {
	for _, job := range p.Jobs() {
		if job.Name == name {
			return job, true
		}
	}
	return Job{}, false
}

// job returns a job of a cohort.
func (p *Process) job(members *bridge.Members, number int) Job {
	first, end := members.JobRange(number)
	return Job{Number: number, Name: members.JobName(number), first: first, end: end, ranks: p.ranks}
}
