package launch

import (
	"fmt"
	"slices"

	"github.com/goacp/goacp/bridge"
)

// netMode is the mode in which the processes of a job choose fabrics. env is what
// the job gets beside environ; in both the last entry counts. A name that is
// malformed counts as auto here: the processes complain of it.
func netMode(env, environ []string) bridge.Mode {
	net, set := lookupEnv(env, envNet)
	if !set {
		net, _ = lookupEnv(environ, envNet)
	}
	mode, err := bridge.ParseMode(net)
	if err != nil {
		return bridge.ModeAuto
	}
	return mode
}

// asksForRMA reports whether one of the jobs does.
func asksForRMA(jobs []JobSpec, opts *Options, environ []string) bool {
	return slices.ContainsFunc(jobs, func(spec JobSpec) bool {
		return netMode(append(optionEnv(opts), spec.Env...), environ) == bridge.ModeRMA
	})
}

// usesWindows reports whether processes in a mode may be accessed by windows of
// MPI: if they or, in mode auto, others (asked) ask for rma, or if there is RDMA
// hardware between hosts.
func usesWindows(mode bridge.Mode, asked, rdma bool) bool {
	return mode == bridge.ModeRMA || mode == bridge.ModeAuto && (asked || rdma)
}

// windowsEnv returns the settings with which windows of this MPI work everywhere:
// between hosts over any network, and between jobs.
func (f Flavour) windowsEnv() []string {
	if f.MPI != OpenMPI {
		return nil
	}
	vars := []string{
		"OMPI_MCA_pml=ucx",
		// sm is for memory that is shared on purpose (MPI_Win_allocate_shared), which
		// ucx does not have.
		"OMPI_MCA_osc=ucx,sm",
		// By default Open MPI takes UCX for RDMA hardware only.
		"OMPI_MCA_opal_common_ucx_tls=any",
		"OMPI_MCA_opal_common_ucx_devices=any",
	}
	if f.major() >= 5 {
		// Collectives of han hang where processes of several jobs differ about who is
		// near.
		vars = append(vars, "OMPI_MCA_coll=^han")
	}
	return vars
}

// elsewhere reports whether the launcher of a job has to be started on another host
// so that the job can be joined with others: mpirun of Open MPI 4 cannot join
// processes on other hosts than its own. It helps if all of them are on one.
func (j *Job) elsewhere(isLocal func(string) bool) bool {
	if !j.Windows || j.MPI.MPI != OpenMPI || j.MPI.major() >= 5 || j.Hosts == nil || isLocal(j.Hosts[0]) {
		return false
	}
	return !slices.ContainsFunc(j.Hosts, func(host string) bool { return host != j.Hosts[0] })
}

// carriedLine makes of a command one that acprun carries out on the first host of the
// job's machine file. There the number that acprun gives to what it starts means
// nothing: the MPI has numbers of its own.
func (j *Job) carriedLine(command string) string {
	return fmt.Sprintf("exec acprun -multirun -offsetrank %d -np 1 -machinefile %s /bin/sh -c %s",
		j.First, shellQuote(j.MachineFile), shellQuote("unset "+envJobRank+"; "+command))
}

// needsServer reports whether Open MPI must be given a name server, so that jobs
// can meet: if two or more jobs of the plan that may use windows can be joined.
// jobs are their numbers.
func (p *Plan) needsServer() (jobs []int, needed bool) {
	for _, job := range p.Jobs {
		if job.Windows && job.MPI.MPI == OpenMPI && job.MPI.major() < 5 {
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
