package plan

import (
	"slices"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// nameJobs returns the jobs of a description, all of them with different names. A job without a name in the
// description gets the name of its program. If several jobs would then have the same name, the jobs without a
// name in the description are numbered: solver-1, solver-2.
func nameJobs(specs []config.JobSpec) []config.JobSpec {
	jobs := slices.Clone(specs)
	wanted := make(map[string]int) // how many jobs would have a name
	for j := range jobs {
		if jobs[j].Name == "" {
			program := shell.LauncherWord(jobs[j].Command)
			if p, several := programsOf(jobs[j].Command); several {
				program = p.parts[0].word
			}
			jobs[j].Name = bridge.JobNameOf(program)
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
			jobs[j].Name = bridge.NumberedJobName(base, last[base])
		}
		wanted[jobs[j].Name]++
	}
	return jobs
}
