package wait

import (
	"time"

	"github.com/goacp/goacp/internal/ground/futex"
)

// LongestPark bounds the time for which a thread parks on a word of shared memory. If the
// end of the run comes at the wrong moment, its wake-up is lost; the thread then notices the
// end after this time at the latest.
const LongestPark = time.Second

// A thread spins in rounds, a fraction of a microsecond each.
//
//goacp:c GOACP_
const (
	// spinChecks is how often a thread checks in a round, before it asks for the time.
	spinChecks = 64

	// spinRounds is how many rounds a thread spins before it yields its processor to other
	// threads after each round: the one that it waits for may be among them.
	spinRounds = 8
)

// Spin checks cond, which looks at memory, until it holds, but for at most d.
//
// It yields to other goroutines only as Reschedule does. The goroutine of a call from C is bound to its
// thread, and each return to it costs two switches of threads.
func Spin(d time.Duration, cond func() bool) {
	if cond() || d == 0 {
		return
	}
	var deadline time.Time
	for round := 0; ; round++ {
		for range spinChecks {
			if cond() {
				return
			}
		}
		// To ask for the time costs as much as a round, so the first round does without.
		now := time.Now()
		switch {
		case round == 0:
			deadline = now.Add(d)
		case now.After(deadline):
			return
		}
		if round >= spinRounds {
			Reschedule(now)
			futex.Yield()
		}
	}
}

// longSpin bounds the spinning for a long message.
//
//goacp:c GOACP_
const longSpin = time.Millisecond

// bytesPerSpin is the speed at which messages are copied, at least, in bytes per nanosecond:
// waiters spin for as long as that takes.
//
//goacp:c GOACP_
const bytesPerSpin = 4

// SpinFor returns for how long a thread that may spin does so for a message of some bytes. It is 0 if the thread may not.
func SpinFor(budget time.Duration, size uint64) time.Duration {
	if budget == 0 {
		return 0
	}
	return budget + min(time.Duration(size/bytesPerSpin), longSpin)
}
