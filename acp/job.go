package acp

import (
	"fmt"
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/memory/ga"
)

// Job is a part of the run that one launcher has started. Its processes have numbers from 0, as in
// MPI_COMM_WORLD if that launcher is one of MPI. Jobs of one run may be compared by ==.
type Job struct {
	Number int    // from 0, in the order of the description of the run; those of guests follow
	Name   string // different from those of other jobs

	first, end int // its members, if later is nil
	ranks      *ga.Ranks
	later      *bridge.Roster // not nil: processes can join the job and leave it
}

// list returns the members of a job that processes can join and leave: those that belong to the run now.
func (j Job) list() []int { return j.later.JobMembers(j.Number) }

// Procs returns the number of processes. In a run that grows and shrinks it changes with the epochs. Does not block.
func (j Job) Procs() int {
	if j.later != nil {
		return len(j.list())
	}
	return j.end - j.first
}

// Rank returns the rank that process i of the job has now, 0 ≤ i < Procs. Does not block.
func (j Job) Rank(i int) Rank {
	if j.later != nil {
		if list := j.list(); i >= 0 && i < len(list) {
			return Rank(j.ranks.Rank(list[i]))
		}
	} else if i >= 0 && i < j.Procs() {
		return Rank(j.ranks.Rank(j.first + i))
	}
	panic("acp: a job has no such process")
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
// program. In a guest there are also the jobs of the run and of earlier guests that were present when it came, so the
// number of a job need not be its index. Jobs that attach later are not among them. Local. Does not block.
func (p *Process) Jobs() []Job {
	jobs := p.allJobs()
	end := 0
	for _, members := range p.met.Roster.Cohorts() {
		if p.met.Roster.CohortNumber(members.First()) == p.met.Roster.CohortNumber(p.ranks.Self()) {
			end = max(end, members.FirstJob()+members.Jobs())
		}
	}
	return slices.DeleteFunc(jobs, func(j Job) bool { return j.Number >= end })
}

// allJobs returns the jobs of all cohorts that have come, in the order of their numbers.
func (p *Process) allJobs() []Job {
	var jobs []Job
	for _, members := range p.met.Roster.Cohorts() {
		for i := range members.Jobs() {
			job := p.job(members, members.FirstJob()+i)
			if job.later == nil || !slices.Contains(jobs, job) { // a process that has come later belongs to a job that is there
				jobs = append(jobs, job)
			}
		}
	}
	return jobs
}

// JobAt returns the job with a number, also one of guests that have come later. Fails if there is none. Local.
// Does not block.
func (p *Process) JobAt(number int) (Job, error) {
	if err := p.alive(); err != nil {
		return Job{}, p.lifeError("job with a number", err)
	}
	for _, job := range p.allJobs() {
		if job.Number == number {
			return job, nil
		}
	}
	return Job{}, p.lifeError("job with a number", fmt.Errorf("no job %d in a run of %d", number, len(p.Jobs())))
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

// FindJob returns the job with a name, and whether there is one. It finds the jobs of guests that have come later, too; of
// several with the name, the latest. Local. Does not block.
func (p *Process) FindJob(name string) (job Job, found bool) {
	for _, job := range slices.Backward(p.allJobs()) {
		if job.Name == name {
			return job, true
		}
	}
	return Job{}, false
}

// job returns a job of a cohort.
func (p *Process) job(members *bridge.Members, number int) Job {
	if p.met.Roster.Elastic() && p.met.Roster.CohortNumber(members.First()) == 0 {
		return Job{Number: number, Name: members.JobName(number), ranks: p.ranks, later: p.met.Roster}
	}
	first, end := members.JobRange(number)
	return Job{Number: number, Name: members.JobName(number), first: first, end: end, ranks: p.ranks}
}
