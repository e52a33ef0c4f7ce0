package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A keeper is a proxy that starts nothing: it makes the run's private directory
// on a host where MPI launchers start processes through their own means, and when
// the run is over, or the launcher is lost, it ends what is left of the run on
// that host and removes the directory.

// keeperLimit is how long keepers may take to answer: a remote login each, all at
// the same time.
const keeperLimit = 15 * time.Second

// startKeepers starts a keeper on every other host of MPI jobs. If one of them
// cannot be had, MPI keeps its files where it always does, and removes them as
// well as it can.
func (r *runner) startKeepers() error {
	hosts := remoteHosts(&Plan{Jobs: mpiJobs(r.plan)}, r.local.isLocal)
	if len(hosts) == 0 {
		return nil
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(exe), "acprun")
	var keepers []*proxyClient
	for _, host := range hosts {
		p, err := r.startProxy(host, program, nil)
		if err != nil {
			return err
		}
		keepers = append(keepers, p)
		p.describe(proxyJob{Keep: r.runDir, Mark: r.belong.mark})
	}
	limit := time.After(keeperLimit)
	for _, p := range keepers {
		select {
		case <-p.kept:
		case <-p.heard:
			return fmt.Errorf("host %s: %s -proxy does not answer", p.host, program)
		case <-limit:
			return fmt.Errorf("host %s: %s -proxy does not answer within %v", p.host, program, keeperLimit)
		}
	}
	return nil
}

// mpiJobs are the jobs of a plan that MPI launchers start.
func mpiJobs(plan *Plan) []Job {
	var jobs []Job
	for _, job := range plan.Jobs {
		if !job.Acprun {
			jobs = append(jobs, job)
		}
	}
	return jobs
}

// keep makes the run's private directory. If it is there already this host is the
// launcher's own under another name, and the launcher removes it.
func (p *proxy) keep(job *proxyJob) error {
	err := os.Mkdir(job.Keep, 0o700)
	if err == nil {
		p.runDir = job.Keep
	} else if !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(job.Keep)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to somebody else", job.Keep)
	}
	p.mark = job.Mark
	p.out.send(frame{kind: frameKept})
	return nil
}
