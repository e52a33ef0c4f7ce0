package stdio

import "time"

// OutputLimit is how long a launcher or proxy waits for the rest of the output when all
// processes of the run have ended. A process that has left the run may keep its end of a pipe
// open forever.
const OutputLimit = 2 * time.Second

// limitStep is the interval at which [Await] looks.
const limitStep = 10 * time.Millisecond

// Await returns when done is closed, or when it has found busy to be false for limit in total. So the limit does not count
// while the reader of the output pauses and a write blocks, nor while this process is stopped.
func Await(done <-chan struct{}, busy func() bool, limit time.Duration) {
	ticker := time.NewTicker(limitStep)
	defer ticker.Stop()
	for left := limit; left > 0; {
		select {
		case <-done:
			return
		case <-ticker.C:
			if !busy() {
				left -= limitStep
			}
		}
	}
}
