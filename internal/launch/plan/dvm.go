package plan

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/shell"
)

// Jobs of Open MPI 5 meet only beneath one distributed virtual machine (DVM): daemons
// on all hosts of the jobs, of which the launchers are mere clients. The processes are
// children of the daemons.

// DVM is what is to be started so that jobs of Open MPI 5 can meet.
type DVM struct {
	Jobs []int // numbers of the jobs beneath it
	// Address is the file in which the DVM leaves its address for the launchers.
	Address string
	// MachineFile is the path and MachineText the content of the file with the hosts of
	// the jobs; both are empty if all processes run on this host.
	MachineFile, MachineText string
	Spread                   bool // the jobs have processes on several hosts
}

// findDVMs returns the groups of jobs that are to be started beneath one DVM each: two
// or more of the same Open MPI that may use windows. A job for which the user has named
// a DVM is in none.
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

// namesDVM reports whether a command says beneath which DVM it is to run.
func namesDVM(line string) bool {
	return slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		return word[0] == '-' && strings.HasPrefix(strings.TrimLeft(word, "-"), "dvm")
	})
}

// dvmVariables names the variables that the processes of a job inherit from its launcher
// otherwise: those that the runtime line sets, and those that the scripts change which
// it may carry out.
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

// newDVM describes the DVM of a group of jobs.
func (p *Plan) newDVM(jobs []int, w Facts) DVM {
	name := strconv.Itoa(jobs[0])
	d := DVM{Jobs: jobs, Address: filepath.Join(w.RunDir, "dvm."+name)}
	slots := map[string]int{}
	var hosts []string
	for _, j := range jobs {
		for _, host := range strings.Fields(machineFileByName(p.Jobs[j].Hosts, w)) {
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
	d.MachineFile = filepath.Join(w.RunDir, "machinefile.dvm."+name)
	for _, host := range hosts {
		d.MachineText += fmt.Sprintf("%s slots=%d\n", host, slots[host])
	}
	return d
}
