package launch

import "time"

// ending is the end of a run before its time: when its processes are killed, and when the
// launcher gives up waiting for them. The zero value is that of a run that goes on. It reads no
// clock.
type ending struct {
	begun    bool
	killing  bool
	killAt   time.Time
	giveUpAt time.Time // zero until the processes are killed
}

// begin records that the processes have been asked to end. limit is how long they may take.
func (e *ending) begin(now time.Time, limit time.Duration) {
	e.begun, e.killAt = true, now.Add(limit)
}

// hurry lets the time of the processes end now.
func (e *ending) hurry(now time.Time) { e.killAt = now }

// timeOver reports whether the processes have had their time.
func (e *ending) timeOver(now time.Time) bool { return e.begun && !now.Before(e.killAt) }

// kills reports whether what is left is to be killed. From the first time on the launcher gives
// up after limit.
func (e *ending) kills(now time.Time, limit time.Duration) bool {
	if !e.killing && e.timeOver(now) {
		e.killing, e.giveUpAt = true, now.Add(limit)
	}
	return e.killing
}

// givesUp reports whether the launcher waits no longer.
func (e *ending) givesUp(now time.Time) bool { return !e.giveUpAt.IsZero() && now.After(e.giveUpAt) }

// due returns when something of the ending is to be done, but no later than latest.
func (e *ending) due(now, latest time.Time) time.Time {
	for _, at := range []time.Time{e.killAt, e.giveUpAt} {
		if !at.IsZero() && at.After(now) && at.Before(latest) {
			latest = at
		}
	}
	if again := now.Add(killInterval); e.killing && latest.After(again) {
		latest = again
	}
	return latest
}

// killInterval is the time between two attempts to kill what is left.
const killInterval = 20 * time.Millisecond
