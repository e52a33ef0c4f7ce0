package launch

import (
	"regexp"
	"strconv"

	"github.com/goacp/goacp/internal/launch/plan"
)

// What MPI launchers put before a line when they are asked to: Open MPI writes
// [job,rank]<stream>:, Hydra writes [rank] and a blank.
var (
	openMPITag = regexp.MustCompile(`^\[[0-9]+,([0-9]+)\]<std(?:out|err|diag)>: ?`)
	hydraTag   = regexp.MustCompile(`^\[([0-9]+)\] `)
)

// jobTag turns the tag of the job's MPI launcher into the rank of the run. Lines
// without such a tag, as of the launcher itself, are marked with the job.
func jobTag(job *plan.Job) func([]byte) (string, []byte) {
	var pattern *regexp.Regexp
	switch {
	case job.MPI.Family == plan.OpenMPI:
		pattern = openMPITag
	case job.MPI.Family == plan.MPICH:
		pattern = hydraTag
	}
	fallback := "[job " + strconv.Itoa(job.Number) + "] "
	return func(line []byte) (string, []byte) {
		if pattern != nil {
			if m := pattern.FindSubmatchIndex(line); m != nil {
				rank, err := strconv.Atoi(string(line[m[2]:m[3]]))
				if err == nil && rank < job.Size {
					return "[" + strconv.Itoa(job.First+rank) + "] ", line[m[1]:]
				}
			}
		}
		return fallback, line
	}
}
