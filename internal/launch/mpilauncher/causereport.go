package mpilauncher

import (
	"bytes"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
)

// CauseReport collects the lines of an MPI job's launcher, and of the MPI in its processes, about the process
// that has failed first. The exit status of the launcher is ambiguous: Hydra's is 9 after signal 9 and after
// exit(9), that of Open MPI's mpirun is above 128 after some failures of its own, and both kill the other
// processes of the job then. The zero value is ready for use. Safe for concurrent use.
type CauseReport struct {
	mu     sync.Mutex
	causes []*exit.Cause // in the order in which they were read
}

// Reader returns a function that takes the lines of one stream of a launcher, in order and
// without newlines. It returns nil if this family is not known to report causes.
func (r *CauseReport) Reader(mpi plan.Family) func(line []byte) {
	lines, tag := hydraLines, hydraTag
	switch mpi {
	case plan.MPICH:
	case plan.OpenMPI:
		lines, tag = openMPILines, openMPITag
	default:
		return nil
	}
	var last *exit.Cause // the report that the next lines belong to
	return func(line []byte) {
		for i := range lines {
			if !bytes.Contains(line, []byte(lines[i].word)) {
				continue
			}
			if m := lines[i].pattern.Get().FindSubmatch(line[len(tag.Get().Find(line)):]); m != nil {
				last = r.take(&lines[i], m, last)
				return
			}
		}
	}
}

// take takes a line that says something about last or begins a new report. It returns the report that the
// next lines belong to.
func (r *CauseReport) take(line *causeLine, parts [][]byte, last *exit.Cause) *exit.Cause {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last == nil || line.begins {
		if !line.begins && !line.alone {
			return nil
		}
		last = &exit.Cause{Rank: -1}
		r.causes = append(r.causes, last)
	}
	words := make([]string, len(parts))
	for i := range parts {
		words[i] = string(parts[i])
	}
	if line.says != nil {
		line.says(last, words)
	}
	return last
}

// Cause returns the launcher's report about the process that has failed first. A process that has ended the
// job counts before processes that the launcher has seen end. Otherwise the first counts: afterwards a
// launcher kills the rest of its job.
func (r *CauseReport) Cause() exit.Cause {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, wanted := range []func(*exit.Cause) bool{
		func(c *exit.Cause) bool { return c.Aborted },
		func(c *exit.Cause) bool { return c.Rank >= 0 || c.PID != 0 || c.Known },
	} {
		if i := slices.IndexFunc(r.causes, wanted); i >= 0 {
			return *r.causes[i]
		}
	}
	return exit.Unsaid
}

// Explain turns the exit status of a launcher into that of its job: 128 + the number of the
// signal that has killed a process, and the status of MPI_Abort if the launcher has lost it.
func (r *CauseReport) Explain(status exit.Status) exit.Status {
	c := r.Cause()
	switch n := c.Status.Signal; {
	case !c.Known:
	case n != 0 && (status.Code == n || status.Code == 128+n):
		return exit.Status{Code: 128 + n}
	case c.Aborted && status.OK():
		return c.Status
	}
	return status
}
