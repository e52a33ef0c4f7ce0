package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
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

// dvmProgram is the program that makes a DVM, of PRRTE, which Open MPI 5 brings along.
const dvmProgram = "prte"

// kindDVM is how messages call a DVM.
const kindDVM = "DVM"

// dvmReady is what it says when its daemons run.
const dvmReady = "DVM ready"

// dvmLimit is how long a DVM may take: a remote login for each host, several at a
// time.
const dvmLimit = time.Minute

// findDVMs returns the groups of jobs that are to be started beneath one DVM each: two
// or more of the same Open MPI that may use windows. A job for which the user has named
// a DVM is in none.
func (p *Plan) findDVMs() [][]int {
	var groups [][]int
	for _, job := range p.Jobs {
		if !job.Windows || job.MPI.MPI != OpenMPI || job.MPI.major() < 5 || ownDVM(job.Line) {
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

// ownDVM reports whether a command says beneath which DVM it is to run.
func ownDVM(line string) bool {
	return slices.ContainsFunc(strings.Fields(line), func(word string) bool {
		return word[0] == '-' && strings.HasPrefix(strings.TrimLeft(word, "-"), "dvm")
	})
}

// beneathDVM names the variables that the processes of a job inherit from its launcher
// otherwise: those that the runtime line sets, and those that the scripts change which
// it may carry out.
func beneathDVM(launcher string) []string {
	names := []string{"PATH", "LD_LIBRARY_PATH"}
	for line := launcherPrefix(launcher); line != ""; {
		var word string
		word, line = cutWord(line)
		if assignment.MatchString(word) {
			names = append(names, envNames([]string{word})...)
		}
	}
	return names
}

// clientLine makes the launcher a client of the DVM. What it leaves in its directory for
// temporary files if it is killed is to go with the run; the processes do not inherit
// that setting.
func clientLine(launcher string, around surroundings) string {
	prefix := launcherPrefix(launcher)
	at := strings.LastIndexAny(prefix, " \t") + 1
	dir := filepath.Dir(around.dvm)
	return launcher[:at] + "env TMPDIR=" + shellQuote(dir) + " " + launcher[at:] + " --dvm file:" + shellQuote(around.dvm)
}

// refuseSpread refuses a PRRTE whose daemons do not survive that processes on several
// hosts meet: those of 3.0.8 take what they get then for something else and write behind
// the end of an array (connect_release). Earlier versions are not trusted; of later ones
// nothing is known.
func refuseSpread(version string) error {
	var major, minor, release int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &release); err != nil {
		return nil
	}
	if slices.Compare([]int{major, minor, release}, []int{3, 0, 8}) > 0 {
		return nil
	}
	return fmt.Errorf("PRRTE %s crashes when jobs on several hosts meet; a version after 3.0.8 is needed", version)
}

// newDVM describes the DVM of a group of jobs.
func (p *Plan) newDVM(jobs []int, w World) DVM {
	name := strconv.Itoa(jobs[0])
	d := DVM{Jobs: jobs, Address: filepath.Join(w.RunDir, "dvm."+name)}
	slots := map[string]int{}
	var hosts []string
	for _, j := range jobs {
		for _, host := range strings.Fields(ownName(p.Jobs[j].Hosts, w)) {
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

// dvms are the DVMs of the run.
func (r *runner) dvms() []*service {
	var services []*service
	for _, d := range r.plan.DVMs {
		s := &service{
			kind: kindDVM, program: dvmProgram, release: "Open MPI 5", jobs: d.Jobs, limit: dvmLimit,
			args: []string{"--report-uri", d.Address},
			announces: func(line string) (string, bool) {
				return "", line == dvmReady
			},
		}
		if d.Spread {
			s.refuses = refuseSpread
		}
		if os.Geteuid() == 0 {
			s.args = append(s.args, "--allow-run-as-root")
		}
		if d.MachineFile != "" {
			s.args = append(s.args, "--hostfile", d.MachineFile)
		}
		// Processes inherit the environment of the daemons, and what is meant for
		// those of one job must not reach those of another.
		for _, entry := range r.plan.Jobs[d.Jobs[0]].Env {
			if strings.HasPrefix(entry, "PRTE_") || strings.HasPrefix(entry, "PMIX_") {
				s.env = append(s.env, entry)
			}
		}
		services = append(services, s)
	}
	return services
}

// apart lets jobs be started without a DVM.
func (r *runner) apart(jobs []int) {
	for _, j := range jobs {
		if alone := r.plan.Jobs[j].Apart; alone != nil {
			r.plan.Jobs[j] = *alone
		}
	}
}

// beneathDVM reports whether the number of a leader is that of a job beneath a DVM.
func (r *runner) beneathDVM(number int) bool {
	return r.program == forMacprun && r.plan.Jobs[number].DVM != ""
}

// endDVMs asks the DVMs to end their jobs: launchers beneath a DVM do not pass on a
// request to end.
func (r *runner) endDVMs() {
	for _, s := range r.services {
		if s.kind == kindDVM {
			// It may have ended meanwhile.
			_ = r.belong.proc.signal(s.id, unix.SIGTERM)
		}
	}
}
