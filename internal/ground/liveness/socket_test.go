package liveness

import (
	"testing"
	"time"
)

// TestWatchDecidesFirst: the kernel ends an idle connection only after Watch has had the time to detect the
// silence and to probe the host, even if the host vanished right before a probe. The kernel ends the
// connection one interval after the last of Count probes in a row.
func TestWatchDecidesFirst(t *testing.T) {
	for _, silence := range []time.Duration{0, 100 * time.Millisecond, time.Second, 3500 * time.Millisecond, 20 * time.Second} {
		l := Limits{Silence: silence}
		k := l.KeepAlive()
		watch := l.silence() + l.silence()/idleLooks + askTime // from the first probe on
		if probing := time.Duration(k.Count) * k.Interval; l.silence() > 2*time.Second && probing < watch*3/2 {
			t.Errorf("limit %v: the kernel gives up %v after the first probe, Watch decides after %v", l.silence(), probing, watch)
		}
		if all, most := k.Idle+time.Duration(k.Count)*k.Interval, 4*l.silence()+4*time.Second; all > most {
			t.Errorf("limit %v: the kernel gives up after %v, expected at most %v", l.silence(), all, most)
		}
		if k.Count < 3 {
			t.Errorf("limit %v: %d lost probes in a row end the connection", l.silence(), k.Count)
		}
	}
}
