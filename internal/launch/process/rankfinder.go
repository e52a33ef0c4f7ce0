package process

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// RankFinder finds processes that launchers of MPI have started on this host for a run, before they join it.
// Their environments contain their jobs and their ranks there.
type RankFinder struct {
	proc    ProcFS
	mark    string              // the variable that all processes of the run have
	names   []string            // variables that contain a rank
	others  map[int]int         // how often a process was seen without the mark of the run
	outside map[int]StartedRank // ranks that were found, by process id
}

// StartedRank is a process that a launcher of MPI has started as a rank of a job.
type StartedRank struct {
	Job, Rank, PID int
}

// rankVariables are set by Open MPI, and by launchers that speak PMI and PMIx.
var rankVariables = []string{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}

// NewRankFinder returns a finder for a run. environ is the environment of the launchers. A variable in it
// does not identify the processes that launchers start.
func NewRankFinder(mark string, environ []string) *RankFinder {
	names := slices.DeleteFunc(slices.Clone(rankVariables), func(name string) bool {
		_, set := envvar.Lookup(environ, name)
		return set
	})
	return &RankFinder{proc: HostProc, mark: mark, names: names, others: map[int]int{}, outside: map[int]StartedRank{}}
}

// looks is how often a finder looks at a process with an empty environment: that of a process which is being
// started is empty for a moment, and that of a thread of the kernel always.
const looks = 5

// Find returns the processes that have been started since the last call. If a rank is a command that
// starts the program itself, such as a script, Find returns the command: its end is that of the rank.
func (f *RankFinder) Find() ([]StartedRank, error) {
	pids, err := f.proc.numbers()
	if err != nil {
		return nil, err
	}
	slices.Sort(pids)
	var found []StartedRank
	others := map[int]int{}
	for _, pid := range pids {
		if others[pid] = f.others[pid]; others[pid] >= looks {
			continue
		}
		if _, known := f.outside[pid]; known {
			continue
		}
		environ, err := f.proc.words(pid, "environ")
		switch {
		case err != nil:
		case !slices.Contains(environ, f.mark):
			others[pid]++
			if len(environ) > 1 {
				others[pid] = looks
			}
		default:
			if r, ok := f.rankOf(pid, environ); ok {
				f.outside[pid] = r
				if !f.within(r) {
					found = append(found, r)
				}
			}
		}
	}
	f.others = others
	return found, nil
}

// Look returns the rank that a process is a part of: the process itself, or the command that has started it
// as that rank. ok is false if the process is no rank of the run.
func (f *RankFinder) Look(pid int) (r StartedRank, ok bool) {
	for {
		environ, err := f.proc.words(pid, "environ")
		if err != nil || !slices.Contains(environ, f.mark) {
			return r, ok
		}
		above, isRank := f.rankOf(pid, environ)
		if !isRank || ok && (above.Job != r.Job || above.Rank != r.Rank) {
			return r, ok
		}
		r, ok = above, true
		stat, err := f.proc.stat(pid)
		if err != nil {
			return r, ok
		}
		pid = stat.Parent
	}
}

// rankOf reads the rank of a process from its environment.
func (f *RankFinder) rankOf(pid int, environ []string) (r StartedRank, ok bool) {
	r.PID = pid
	if r.Job, ok = number(environ, envvar.Job); !ok {
		return r, false
	}
	for _, name := range f.names {
		if r.Rank, ok = number(environ, name); ok {
			return r, true
		}
	}
	return r, false
}

// within reports whether the parent of a process is the same rank.
func (f *RankFinder) within(r StartedRank) bool {
	p, err := f.proc.stat(r.PID)
	if err != nil {
		return false
	}
	parent, known := f.outside[p.Parent]
	return known && parent.Job == r.Job && parent.Rank == r.Rank
}

// number returns the value of a variable that is a number.
func number(environ []string, name string) (n int, ok bool) {
	for _, entry := range environ {
		if value, set := strings.CutPrefix(entry, name+"="); set {
			n, err := strconv.Atoi(value)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
