package plan

import (
	"slices"
	"strconv"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// nameJobs returns the jobs of a description, all of them with different names. A job that the
// description gives no name has that of its program. If several jobs would have one name then,
// those that were given none are numbered: solver-1, solver-2.
func nameJobs(specs []config.JobSpec) []config.JobSpec {
	jobs := slices.Clone(specs)
	wanted := make(map[string]int) // how many jobs would have a name
	for j := range jobs {
		if jobs[j].Name == "" {
			jobs[j].Name = bridge.JobNameOf(shell.LauncherWord(jobs[j].Command))
		}
		wanted[jobs[j].Name]++
	}
	last := make(map[string]int) // the last number behind a name
	for j, spec := range specs {
		base := jobs[j].Name
		if spec.Name != "" || wanted[base] == 1 {
			continue
		}
		for jobs[j].Name == base || wanted[jobs[j].Name] > 0 {
			last[base]++
			jobs[j].Name = numbered(base, last[base])
		}
		wanted[jobs[j].Name]++
	}
	return jobs
}

// numbered returns a name with a number behind it. The end of a long name is cut off.
func numbered(name string, number int) string {
	suffix := "-" + strconv.Itoa(number)
	return name[:min(len(name), bridge.MaxJobName-len(suffix))] + suffix
}
