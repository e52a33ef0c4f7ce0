package launch

import "time"

// ending is the early end of a run: when its processes are killed, and when the launcher stops waiting for
// them. The zero value is that of a run that continues. It reads no clock.
type ending struct {
	begun    bool
	killing  bool
	killAt   time.Time
	giveUpAt time.Time // zero until the processes are killed
}

// begin records that the launcher has asked the processes to end. limit is how long they may take.
func (e *ending) begin(now time.Time, limit time.Duration) {
	e.begun, e.killAt = true, now.Add(limit)
}

// hurry ends the time of the processes now.
func (e *ending) hurry(now time.Time) { e.killAt = now }

// timeOver reports whether the time of the processes is over.
func (e *ending) timeOver(now time.Time) bool { return e.begun && !now.Before(e.killAt) }

// kills reports whether the launcher has to kill the remaining processes. After its first true result the
// launcher waits for limit at most.
func (e *ending) kills(now time.Time, limit time.Duration) bool {
	if !e.killing && e.timeOver(now) {
		e.killing, e.giveUpAt = true, now.Add(limit)
	}
	return e.killing
}

// givesUp reports whether the launcher waits no longer.
func (e *ending) givesUp(now time.Time) bool { return !e.giveUpAt.IsZero() && now.After(e.giveUpAt) }

// due returns the time of the next step of the ending, but no later than latest.
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

// killInterval is the time between two attempts to kill the remaining processes.
const killInterval = 20 * time.Millisecond
