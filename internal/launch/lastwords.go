package launch

import (
	"regexp"
	"strconv"
	"sync/atomic"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
)

// lastWords reads the output of an MPI launcher for what it says about a process of
// its job that a signal has killed. The exit status of the launcher alone does not
// tell: Hydra's is 9 after signal 9 and after exit(9), and that of Open MPI's mpirun is
// above 128 after some failures of its own too.
type lastWords struct {
	signal atomic.Int32
	rank   atomic.Int32 // 1 + that of the process in MPI_COMM_WORLD; 0 if the launcher does not say
}

var (
	// hydraSignal is what Hydra prints to standard output.
	hydraSignal = regexp.MustCompile(`^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*\(signal ([0-9]+)\)`)
	// openMPISignal is what Open MPI prints to standard error; version 5 begins a new
	// line before the signal.
	openMPISignal = regexp.MustCompile(`^\S+ noticed that process rank ([0-9]+) .* exited on(?: signal ([0-9]+)|$)`)
	signalLine    = regexp.MustCompile(`^signal ([0-9]+) \(`)
)

// reader returns a function that takes the lines of one stream of a launcher, in their
// order and without their ends; nil if nothing is known about the words of this MPI.
func (w *lastWords) reader(mpi plan.Family) func(line []byte) {
	switch mpi {
	case plan.MPICH:
		return func(line []byte) {
			if m := hydraSignal.FindSubmatch(line); m != nil {
				w.set(m[1])
			}
		}
	case plan.OpenMPI:
		begun := false
		return func(line []byte) {
			if m := signalLine.FindSubmatch(line); begun && m != nil {
				w.set(m[1])
			}
			m := openMPISignal.FindSubmatch(line)
			if begun = m != nil && m[2] == nil; m == nil {
				return
			}
			w.name(m[1])
			if !begun {
				w.set(m[2])
			}
		}
	}
	return nil
}

// set records a signal. The first counts: a launcher kills the rest of its job.
func (w *lastWords) set(digits []byte) {
	// A number too long for a signal leaves 0.
	if n, err := strconv.ParseInt(string(digits), 10, 8); err == nil {
		w.signal.CompareAndSwap(0, int32(n))
	}
}

// name records the rank of the process that the launcher has noticed first.
func (w *lastWords) name(digits []byte) {
	if n, err := strconv.ParseInt(string(digits), 10, 31); err == nil {
		w.rank.CompareAndSwap(0, int32(n)+1)
	}
}

// named returns the rank of the killed process in its job, -1 if the launcher has not said
// so.
func (w *lastWords) named() int { return int(w.rank.Load()) - 1 }

// killed returns the number of the signal that killed a process of the job, 0 if the
// launcher has not said so.
func (w *lastWords) killed() int { return int(w.signal.Load()) }

// explain turns the exit status of a launcher into the one of its job: 128 + the
// number of the signal that the launcher has named.
func (w *lastWords) explain(status exit.Status) exit.Status {
	if n := w.killed(); n != 0 && (status.Code == n || status.Code == 128+n) {
		return exit.Status{Code: 128 + n}
	}
	return status
}
