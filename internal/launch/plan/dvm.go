package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/shell"
)

// DVM is a distributed virtual machine of Open MPI 5 (PRRTE): daemons on all hosts of some
// jobs, whose launchers are its clients. The daemons start the processes. Jobs of Open MPI 5
// can join each other only in one DVM.
type DVM struct {
	Jobs []int // numbers of its jobs
	// Address is the file into which the DVM writes its address for the launchers.
	Address string
	// MachineFile is the path and MachineText the content of the file with the hosts of the
	// jobs. Both are empty if all processes run on this host.
	MachineFile, MachineText string
	Spread                   bool // the jobs have processes on several hosts
}

// findDVMs returns groups of jobs. Each group needs a DVM: it has two or more jobs of the same
// Open MPI that may use windows. A job for which the user has named a DVM is in no group.
func (p *Plan) findDVMs() [][]int {
	var groups [][]int
	for _, job := range p.Jobs {
		if !job.Windows || job.MPI.Family != OpenMPI || job.MPI.major() < 5 || namesDVM(job.Line) {
			continue
		}
		at := slices.IndexFunc(groups, func(g []int) bool { return p.Jobs[g[0]].MPI == job.MPI })
		if at < 0 {
			groups = append(groups, []int{job.Number})
			continue
		}
		groups[at] = append(groups[at], job.Number)
	}
	return slices.DeleteFunc(groups, func(g []int) bool { return len(g) < 2 })
}

// namesDVM reports whether a command names the DVM in which it is to run.
func namesDVM(line string) bool {
	return slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		return word[0] == '-' && strings.HasPrefix(strings.TrimLeft(word, "-"), "dvm")
	})
}

// dvmVariables returns the names of variables that processes inherit from their launcher if
// there is no DVM: those that the runtime line sets, and those that the scripts in it usually
// change.
func dvmVariables(launcher string) []string {
	names := []string{"PATH", "LD_LIBRARY_PATH"}
	for line := shell.LauncherPrefix(launcher); line != ""; {
		var word string
		word, line = shell.CutWord(line)
		if shell.IsAssignment(word) {
			names = append(names, envvar.Names([]string{word})...)
		}
	}
	return names
}

// newDVM returns the DVM for a group of jobs.
func (p *Plan) newDVM(jobs []int, f Facts) DVM {
	name := strconv.Itoa(jobs[0])
	d := DVM{Jobs: jobs, Address: filepath.Join(f.RunDir, "dvm."+name)}
	slots := map[string]int{}
	var hosts []string
	for _, j := range jobs {
		for _, host := range strings.Fields(machineFileByName(p.Jobs[j].Hosts, f)) {
			if slots[host] == 0 {
				hosts = append(hosts, host)
			}
			slots[host]++
		}
	}
	if hosts == nil {
		return d
	}
	d.Spread = len(hosts) > 1
	d.MachineFile = filepath.Join(f.RunDir, "machinefile.dvm."+name)
	for _, host := range hosts {
		d.MachineText += fmt.Sprintf("%s slots=%d\n", host, slots[host])
	}
	return d
}
