// Package directtest does in Go what C does with the table of package direct.
package directtest

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/direct"
)

// Leave leaves a GMA in the Intake as acp/capi/intake.c does, and returns its handle, if the Intake is open
// for a rank and has room. It does not block.
func Leave(t *direct.Table, rank int, w direct.Waiting) (handle uint64, ok bool) {
	in := &t.Intake
	if atomic.LoadUint64(&in.To) != uint64(rank)+1 || !in.TryLock() {
		return 0, false
	}
	defer in.Unlock()
	if atomic.LoadUint64(&in.To) != uint64(rank)+1 || in.Count == direct.IntakeSize ||
		atomic.LoadUint64(&t.Procs) == 0 ||
		atomic.LoadUint64(&t.Pending) >= direct.MaxInFlight {
		return 0, false
	}
	atomic.AddUint64(&t.Pending, 1)
	w.Handle = t.Next()
	in.Waiting[in.Count] = w
	in.Count++
	return w.Handle, true
}
