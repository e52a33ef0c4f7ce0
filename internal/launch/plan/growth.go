package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/launch/config"
)

// growth is what a plan needs to add processes to jobs of macprun.
type growth struct {
	specs      []config.JobSpec // by job
	opts       *config.Options
	hosts      []string   // of the ranks that come later, from the first on; nil = this host
	components [][]string // Facts.Components
	runDir     string
}

// checkMax returns an error unless the job of a description can grow as its key max says.
func checkMax(file string, job *Job, spec config.JobSpec, opts *config.Options, f Facts) error {
	var reason string
	switch {
	case spec.Max == 0:
		return nil
	case !job.Acprun:
		reason = job.LauncherName + " starts a fixed number of processes; expected max in jobs of acprun only"
	case opts.Attaches():
		reason = "guests of another run (-to) cannot grow"
	case f.windowsAsked:
		reason = "ranks of the run reach each other by windows of MPI (net: rma), which processes that come later cannot have"
	default:
		return nil
	}
	return config.Errorf(file, spec.MaxLine, "max of %v: %s", job, reason)
}

// checkLimit returns an error if the jobs of a description can grow to more processes than a run can hold.
func checkLimit(input *config.Inputfile) error {
	total, line := 0, 0
	for _, spec := range input.Jobs {
		total += max(spec.Size, spec.Max)
		line = max(line, spec.MaxLine)
	}
	if total > config.MaxProcesses {
		return config.Errorf(input.File, line, "the jobs can grow to %d processes in total, more than the %d that a run can hold", total, config.MaxProcesses)
	}
	return nil
}

// Limit returns how many ranks the jobs can ever have.
func (p *Plan) Limit() (n int) {
	for i := range p.Jobs {
		n += max(p.Jobs[i].Size, p.Jobs[i].Max)
	}
	return n
}

// Elastic reports whether a job can grow.
func (p *Plan) Elastic() bool { return len(p.elastic()) > 0 }

// elastic returns the jobs that can grow.
func (p *Plan) elastic() (jobs []*Job) {
	for i := range p.Jobs {
		if p.Jobs[i].Max > 0 {
			jobs = append(jobs, &p.Jobs[i])
		}
	}
	return jobs
}

// Growing returns the job that gets further processes: the one with a name, or the only one that can grow if name is "". Errors list
// the jobs that can grow.
func (p *Plan) Growing(name string) (*Job, error) {
	can := p.elastic()
	if name == "" {
		switch {
		case len(can) == 1:
			return can[0], nil
		case len(can) > 1:
			return nil, fmt.Errorf("%s can grow; name one of them by -job", List(can))
		case len(p.Jobs) > 1:
			return nil, errors.New("the run cannot grow: no job was started with max")
		}
		name = p.Jobs[0].Name
	}
	key := "-max"
	if p.growth.opts != nil {
		key = "max" // of a description
	}
	i := slices.IndexFunc(p.Jobs, func(j Job) bool { return j.Name == name })
	expected := "; expected " + List(can)
	if len(can) == 0 {
		expected = ""
	}
	switch {
	case i < 0:
		return nil, fmt.Errorf("the run has no job %s%s", name, expected)
	case p.Jobs[i].Max == 0:
		return nil, fmt.Errorf("%v cannot grow: it was started without %s%s", &p.Jobs[i], key, expected)
	}
	return &p.Jobs[i], nil
}

// Grow adds processes to the job of acprun. hosts has the host of each; if it is empty, they come to the hosts that the plan has for
// them. here is the name of this host.
func (p *Plan) Grow(count int, hosts []string, here string) {
	job := &p.Jobs[0]
	if len(hosts) != 0 {
		if job.Hosts == nil {
			job.Hosts = slices.Repeat([]string{here}, max(job.Size, job.Max))
		}
		copy(job.Hosts[job.Size:], hosts)
	}
	job.Size += count
	p.Total += count
}

// Addition is processes that a job of macprun gets.
type Addition struct {
	Count    int
	Hosts    []string // of each; none = those that the plan has for their ranks
	SlurmJob string   // of the hosts; "" = that around macprun, or none
	HeapSize uint64   // bytes of the heap of each; 0 = as for the other processes of the job
}

// Extend adds processes to a job of macprun that can grow. An acprun of their own starts them, so they are a job of the plan in Later,
// which Extend returns. Their ranks follow those of all others.
func (p *Plan) Extend(to *Job, add Addition) *Job {
	job := *to
	job.SlurmJob = add.SlurmJob
	job.HeapSize = add.HeapSize
	job.Number, job.First, job.Size, job.Max = p.Launchers(), p.Total, add.Count, 0
	job.InRun = to.InRun.behind(0, p.Total-to.First)
	job.InRun.Process = to.Size
	for _, other := range p.Later {
		if other.InRun.Job == to.InRun.Job {
			job.InRun.Process += other.Size
		}
	}
	hosts := add.Hosts
	if len(hosts) == 0 {
		hosts = p.laterHosts(&job)
	}
	job.placeOn(hosts, p.growth.runDir)
	job.Line = acprunLine(job, p.growth.specs[to.Number], p.growth.opts)
	p.Later = append(p.Later, &job)
	p.Total += add.Count
	return &job
}

// laterHosts returns the hosts that the plan has for processes that come later; nil = this host.
func (p *Plan) laterHosts(job *Job) []string {
	g := &p.growth
	switch {
	case g.components != nil:
		return placeRanks(g.components[p.jobIndex(job)], job.InRun.Process, job.Size)
	case g.hosts == nil:
		return nil
	}
	last := &p.Jobs[len(p.Jobs)-1]
	came := job.First - (last.First + last.Size)
	return g.hosts[came : came+job.Size]
}

// placeOn places the processes of a job on hosts; none = this one.
func (j *Job) placeOn(hosts []string, runDir string) {
	j.Hosts, j.MachineFile, j.MachineText = nil, "", ""
	if len(hosts) == 0 {
		return
	}
	j.Hosts = hosts
	j.MachineFile = filepath.Join(runDir, "machinefile."+strconv.Itoa(j.Number))
	j.MachineText = strings.Join(hosts, "\n") + "\n"
}

// Launchers returns how many launchers the plan of macprun has: one of each job, and those of processes that have come later.
func (p *Plan) Launchers() int { return len(p.Jobs) + len(p.Later) }

// Launched returns the job that a launcher starts, by its number: one of Jobs or of Later.
func (p *Plan) Launched(number int) *Job {
	if number < len(p.Jobs) {
		return &p.Jobs[number]
	}
	return p.Later[number-len(p.Jobs)]
}

// JobOf returns the index in Jobs of the job to which the processes of a launcher belong.
func (p *Plan) JobOf(launcher int) int { return p.jobIndex(p.Launched(launcher)) }

// jobIndex returns the index in Jobs of the job to which the processes of one in Jobs or Later belong.
func (p *Plan) jobIndex(job *Job) int { return job.InRun.Job - p.Jobs[0].InRun.Job }
