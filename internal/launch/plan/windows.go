package plan

import (
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/config"
)

// netMode returns the mode in which the processes of a job choose fabrics. env are the
// variables that the job gets besides environ. In both the last entry counts. A malformed
// value counts as auto here, because the processes report it.
func netMode(env, environ []string) bridge.Mode {
	net, set := envvar.Lookup(env, envvar.Net)
	if !set {
		net, _ = envvar.Lookup(environ, envvar.Net)
	}
	mode, err := bridge.ParseMode(net)
	if err != nil {
		return bridge.ModeAuto
	}
	return mode
}

// asksForWindows reports whether one of the jobs asks for windows of MPI only.
func asksForWindows(jobs []config.JobSpec, opts *config.Options, environ []string) bool {
	return slices.ContainsFunc(jobs, func(spec config.JobSpec) bool {
		return netMode(append(optionVariables(opts), spec.Env...), environ).NeedsWindows()
	})
}

// usesWindows reports whether processes in a mode may be accessed by windows of MPI. They may
// if they ask for rma. In mode auto they may if other jobs ask for rma (asked), or if there is
// RDMA hardware between hosts (rdma).
func usesWindows(mode bridge.Mode, asked, rdma bool) bool {
	return mode.NeedsWindows() || mode == bridge.ModeAuto && (asked || rdma)
}

// needsRemoteLauncher reports whether the launcher of a job must be started on another host,
// so that the job can join others. mpirun of Open MPI 4 cannot join processes on other hosts
// than its own, so the launcher goes to the host of the processes, if all are on one.
func (j *Job) needsRemoteLauncher(isLocal func(string) bool) bool {
	if !j.Windows || j.MPI.Family != OpenMPI || j.MPI.major() >= 5 || j.Hosts == nil || isLocal(j.Hosts[0]) {
		return false
	}
	return !slices.ContainsFunc(j.Hosts, func(host string) bool { return host != j.Hosts[0] })
}

// NeedsNameServer reports whether two or more jobs of Open MPI 4 may join each other, for
// which they need a name server. jobs are the numbers of all jobs of Open MPI 4 that may use
// windows.
func (p *Plan) NeedsNameServer() (jobs []int, needed bool) {
	for _, job := range p.Jobs {
		if job.Windows && job.MPI.Family == OpenMPI && job.MPI.major() < 5 {
			jobs = append(jobs, job.Number)
		}
	}
	for i, j := range jobs {
		if slices.ContainsFunc(jobs[i+1:], func(k int) bool { return p.Jobs[j].MPI == p.Jobs[k].MPI }) {
			return jobs, true
		}
	}
	return nil, false
}
