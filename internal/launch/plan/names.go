package plan

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/bridge"
)

// List returns items as text: 0, 1 and 2.
func List[T any](items []T) string {
	var b strings.Builder
	for i, item := range items {
		switch {
		case i > 0 && i == len(items)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, item)
	}
	return b.String()
}

// String returns how messages name the job: job 1 ocean.
func (j *Job) String() string { return bridge.JobText(j.InRun.Job, j.Name) }

// RankString returns how messages name the job of one rank of it: by the program of the rank, if the
// launcher starts several.
func (j *Job) RankString(rank int) string {
	for _, p := range j.Programs {
		if rank < p.Size {
			return bridge.JobText(j.InRun.Job, p.Name)
		}
		rank -= p.Size
	}
	return j.String()
}

// RankRange returns the ranks of a job as text.
func RankRange(job *Job) string {
	if job.Size == 1 {
		return fmt.Sprintf("rank %d", job.InRun.Rank)
	}
	return fmt.Sprintf("ranks %d-%d", job.InRun.Rank, job.InRun.Rank+job.Size-1)
}

// Rank returns the rank in the run of a member of the plan.
func (p *Plan) Rank(member int) int { return p.Jobs[0].InRun.Rank + member }
