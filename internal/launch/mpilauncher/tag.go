package mpilauncher

import (
	"strconv"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// With options to tag output, Open MPI writes [job,rank]<stream>: before a line, and Hydra writes [rank] and
// a blank.
var (
	openMPITag = lazyregexp.New(`^\[[0-9]+,([0-9]+)\]<std(?:out|err|diag)>: ?`)
	hydraTag   = lazyregexp.New(`^\[([0-9]+)\] `)
)

// JobTag returns a tag for line forwarders. It replaces the tag of the job's launcher by the
// rank of the run and the name of the job. It puts the number and the name of the job before lines
// without such a tag, such as those of the launcher itself.
func JobTag(job *plan.Job) func([]byte) (string, []byte) {
	var pattern *lazyregexp.Regexp
	switch {
	case job.MPI.Family == plan.OpenMPI:
		pattern = openMPITag
	case job.MPI.Family == plan.MPICH:
		pattern = hydraTag
	}
	fallback := "[" + job.String() + "] "
	return func(line []byte) (string, []byte) {
		if pattern != nil {
			if m := pattern.Get().FindSubmatchIndex(line); m != nil {
				rank, err := strconv.Atoi(string(line[m[2]:m[3]]))
				if err == nil && rank < job.Size {
					return stdio.RankPrefix(job.InRun.Rank+rank, job.Name), line[m[1]:]
				}
			}
		}
		return fallback, line
	}
}
