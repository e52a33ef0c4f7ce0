package allocation

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// Allocation is what a batch system has given to the job around this process.
type Allocation struct {
	System string // "Slurm", "PBS" or "LSF"
	Job    string // by which the batch system knows the job
	// Slots has the host of each process that the batch system plans for, in the order of its hosts.
	Slots []string
	// Components are the parts of Slots of each component of a heterogeneous job of Slurm, in order. A
	// job of any other kind has one.
	Components [][]string
}

// sources are the batch systems, each with the function that finds its allocation. ok is false if the process
// runs in no allocation of that system.
var sources = []struct {
	system     string
	job        string // variable with the name of the job
	components func(getenv func(string) string) (components [][]string, ok bool, err error)
}{
	{"Slurm", slurmJob, slurmComponents},
	{"PBS", "PBS_JOBID", whole(pbsSlots)},
	{"LSF", "LSB_JOBID", whole(lsfSlots)},
}

// Find returns the allocation that environ describes, or nil if there is none. It reads the file of
// hosts that PBS and LSF name. Errors name the variable, or the file and its line.
func Find(environ []string) (*Allocation, error) {
	getenv := func(name string) string {
		value, _ := envvar.Lookup(environ, name)
		return value
	}
	for _, source := range sources {
		components, ok, err := source.components(getenv)
		if err != nil {
			return nil, err
		}
		if ok {
			return &Allocation{System: source.system, Job: getenv(source.job), Slots: slices.Concat(components...), Components: components}, nil
		}
	}
	return nil, nil
}

// whole makes an allocation of one component.
func whole(slots func(getenv func(string) string) ([]string, bool, error)) func(getenv func(string) string) ([][]string, bool, error) {
	return func(getenv func(string) string) ([][]string, bool, error) {
		list, ok, err := slots(getenv)
		return [][]string{list}, ok, err
	}
}

// Place returns the host of each rank of a run whose jobs have these sizes: job i runs on component i
// of a heterogeneous job of Slurm, and begins again with its first slot behind the last. Any other
// allocation has its slots for the ranks of all jobs. It fails unless there are as many components as
// jobs. Pure.
func (a *Allocation) Place(sizes []int) ([]string, error) {
	switch {
	case len(a.Components) == 1:
		return a.Slots, nil
	case len(a.Components) != len(sizes):
		return nil, fmt.Errorf("environment: %s=%d: the run has %d jobs; expected one job for each component of the allocation, or hosts by -host or -nodefile", slurmHetSize, len(a.Components), len(sizes))
	}
	var hosts []string
	for j, size := range sizes {
		for i := range size {
			hosts = append(hosts, a.Components[j][i%len(a.Components[j])])
		}
	}
	return hosts, nil
}

// Srun returns the words that start a process on a host by srun, or nil if the host belongs to no
// allocation of Slurm. A host of a heterogeneous job is reached by the number of its component.
func (a *Allocation) Srun(host string) []string {
	if !a.BySrun(host) {
		return nil
	}
	for i, slots := range a.Components {
		if len(a.Components) > 1 && slices.Contains(slots, host) {
			return []string{shell.Srun, "--het-group=" + strconv.Itoa(i)}
		}
	}
	return []string{shell.Srun}
}

// Has reports whether a host belongs to the allocation; false if a is nil.
func (a *Allocation) Has(host string) bool { return a != nil && slices.Contains(a.Slots, host) }

// BySrun reports whether processes on a host are started by srun: the host belongs to an allocation
// of Slurm.
func (a *Allocation) BySrun(host string) bool { return a.Has(host) && a.System == "Slurm" }

// fileSlots returns the lines of a file of hosts that a variable names.
func fileSlots(file string) ([]string, bool, error) {
	if file == "" {
		return nil, false, nil
	}
	text, err := config.ReadFile(file)
	if err != nil {
		return nil, false, err
	}
	slots, err := config.ParseNodefile(file, text)
	return slots, err == nil, err
}

// pbsSlots reads the file with a line for each process that PBS and its relatives write.
func pbsSlots(getenv func(string) string) ([]string, bool, error) {
	return fileSlots(getenv("PBS_NODEFILE"))
}
