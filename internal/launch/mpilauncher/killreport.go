package mpilauncher

import (
	"regexp"
	"strconv"
	"sync/atomic"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
)

// KillReport is what the launcher of an MPI job writes about a signal that has killed a process
// of the job. The exit status of the launcher does not tell enough: Hydra's is 9 after signal 9
// and after exit(9), and that of Open MPI's mpirun is above 128 after some failures of its own.
// The zero value is ready for use. Safe for concurrent use.
type KillReport struct {
	signal atomic.Int32
	rank   atomic.Int32 // 1 + the rank in MPI_COMM_WORLD of the process; 0 = not reported
}

var (
	// hydraSignal is what Hydra prints to standard output.
	hydraSignal = regexp.MustCompile(`^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*\(signal ([0-9]+)\)`)
	// openMPISignal is what Open MPI prints to standard error; version 5 begins a new
	// line before the signal.
	openMPISignal = regexp.MustCompile(`^\S+ noticed that process rank ([0-9]+) .* exited on(?: signal ([0-9]+)|$)`)
	signalLine    = regexp.MustCompile(`^signal ([0-9]+) \(`)
)

// Reader returns a function that takes the lines of one stream of a launcher, in order and
// without newlines. It returns nil if this family is not known to report signals.
func (r *KillReport) Reader(mpi plan.Family) func(line []byte) {
	switch mpi {
	case plan.MPICH:
		return func(line []byte) {
			if m := hydraSignal.FindSubmatch(line); m != nil {
				r.set(m[1])
			}
		}
	case plan.OpenMPI:
		begun := false
		return func(line []byte) {
			if m := signalLine.FindSubmatch(line); begun && m != nil {
				r.set(m[1])
			}
			m := openMPISignal.FindSubmatch(line)
			if begun = m != nil && m[2] == nil; m == nil {
				return
			}
			r.name(m[1])
			if !begun {
				r.set(m[2])
			}
		}
	}
	return nil
}

// set records a signal. The first one counts: afterwards a launcher kills the rest of its job.
func (r *KillReport) set(digits []byte) {
	// A number that is too large is no signal.
	if n, err := strconv.ParseInt(string(digits), 10, 8); err == nil {
		r.signal.CompareAndSwap(0, int32(n))
	}
}

// name records the rank of the process that the launcher has noticed first.
func (r *KillReport) name(digits []byte) {
	if n, err := strconv.ParseInt(string(digits), 10, 31); err == nil {
		r.rank.CompareAndSwap(0, int32(n)+1)
	}
}

// JobRank returns the rank in its job of the process that was killed first. It returns -1 if
// the launcher has not reported it.
func (r *KillReport) JobRank() int { return int(r.rank.Load()) - 1 }

// Signal returns the number of the signal that has killed a process of the job. It returns 0
// if the launcher has not reported any.
func (r *KillReport) Signal() int { return int(r.signal.Load()) }

// Explain turns the exit status of a launcher into that of its job, which is 128 + the number
// of the signal that the launcher has reported.
func (r *KillReport) Explain(status exit.Status) exit.Status {
	if n := r.Signal(); n != 0 && (status.Code == n || status.Code == 128+n) {
		return exit.Status{Code: 128 + n}
	}
	return status
}
