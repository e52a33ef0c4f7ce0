package liveness

import (
	"testing"
	"time"
)

// TestIdleConnectionsAreAsPatient: an idle connection outlives the loss of a cable for as long as
// a busy one, even if the kernel sends the first probe right after the cable was pulled. The
// kernel gives up one interval after the last of Count probes in a row.
func TestIdleConnectionsAreAsPatient(t *testing.T) {
	for _, silence := range []time.Duration{0, time.Second, 3500 * time.Millisecond, 20 * time.Second} {
		l := Limits{Silence: silence}
		k := l.KeepAlive()
		if probing := time.Duration(k.Count) * k.Interval; probing < l.silence() {
			t.Errorf("limit %v: given up %v after the first probe", l.silence(), probing)
		}
		if all, most := k.Idle+time.Duration(k.Count)*k.Interval, l.silence()*3/2+4*time.Second; all > most {
			t.Errorf("limit %v: noticed after %v, expected at most %v", l.silence(), all, most)
		}
		if k.Count < 3 {
			t.Errorf("limit %v: %d lost probes in a row end the connection", l.silence(), k.Count)
		}
	}
}
