package launch

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/internal/launch/stdio"
)

// awaitOutput waits at the end of a run until passed is closed: the output has been written. The reader of the output may
// pause for any time, as less does. A signal that asks for the end, and the time limit, end the wait; if the run ends
// because of one, the wait takes no longer than [stdio.OutputLimit].
func (r *runner) awaitOutput(passed <-chan struct{}) {
	var limit <-chan time.Time
	if r.cutShort {
		limit = time.After(stdio.OutputLimit)
	}
	for {
		select {
		case <-passed:
			return
		case <-limit:
			return
		case sig := <-r.signals.c:
			reason := endBefore(sig)
			if reason == "" {
				r.signal(sig)
				continue
			}
			r.cutShort = true
			r.sup.Stop(fmt.Sprintf("%s, ending the run", reason), statusOf(sig))
			return
		}
	}
}
