package allocation

import (
	"slices"

	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/config"
)

// Allocation is what a batch system has given to the job around this process.
type Allocation struct {
	System string // "Slurm", "PBS" or "LSF"
	// Slots has the host of each process that the batch system plans for, in the order of its hosts.
	Slots []string
}

// sources are the batch systems, each with what finds its allocation. ok is false if the process
// runs in no allocation of that system.
var sources = []struct {
	system string
	slots  func(getenv func(string) string) (slots []string, ok bool, err error)
}{
	{"Slurm", slurmSlots},
	{"PBS", pbsSlots},
	{"LSF", lsfSlots},
}

// Find returns the allocation that environ describes, or nil if there is none. It reads the file of
// hosts that PBS and LSF name. Errors name the variable, or the file and its line.
func Find(environ []string) (*Allocation, error) {
	getenv := func(name string) string {
		value, _ := envvar.Lookup(environ, name)
		return value
	}
	for _, source := range sources {
		slots, ok, err := source.slots(getenv)
		if err != nil {
			return nil, err
		}
		if ok {
			return &Allocation{System: source.system, Slots: slots}, nil
		}
	}
	return nil, nil
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
