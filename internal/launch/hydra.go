package launch

import (
	"regexp"
	"strconv"
	"sync/atomic"
)

// exitString is what Hydra prints to standard output when a process of its job
// was killed. Its exit status alone does not tell signal 9 from exit(9).
var exitString = regexp.MustCompile(`^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*\(signal ([0-9]+)\)`)

// hydraWatch reads the output of a job of Hydra for the signal that killed one
// of its processes.
type hydraWatch struct{ signal atomic.Int32 }

// line looks at one line of output.
func (w *hydraWatch) line(text []byte) {
	if m := exitString.FindSubmatch(text); m != nil {
		// The pattern has seen to it that these are digits; a number too long for
		// a signal leaves 0.
		n, _ := strconv.ParseInt(string(m[1]), 10, 16)
		w.signal.Store(int32(n))
	}
}

// refine turns the exit status of Hydra into what really happened.
func (w *hydraWatch) refine(status Status) Status {
	if n := int(w.signal.Load()); n != 0 && status.Code == n {
		return Status{Code: 128 + n}
	}
	return status
}
