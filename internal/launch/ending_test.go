package launch

import (
	"testing"
	"time"
)

// TestEnding asks at several times what the end of a run demands. Times are milliseconds.
func TestEnding(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	const limit = 3000 * time.Millisecond
	var e ending
	check := func(ms int, kills, givesUp bool, due int) {
		t.Helper()
		if got := e.kills(at(ms), limit); got != kills {
			t.Errorf("at %d: kills %v; expected %v", ms, got, kills)
		}
		if got := e.givesUp(at(ms)); got != givesUp {
			t.Errorf("at %d: gives up %v; expected %v", ms, got, givesUp)
		}
		if got := e.due(at(ms), at(100000)); !got.Equal(at(due)) {
			t.Errorf("at %d: due at %d; expected %d", ms, got.UnixMilli(), due)
		}
	}
	check(0, false, false, 100000) // the run goes on
	e.begin(at(1000), 500*time.Millisecond)
	check(1000, false, false, 1500)
	check(1500, true, false, 1520)
	check(4500, true, false, 4520)
	check(4501, true, true, 4521)

	e = ending{}
	e.begin(at(0), time.Hour)
	check(10, false, false, 100000)
	e.hurry(at(20)) // the user sends a second signal
	check(20, true, false, 40)
}
