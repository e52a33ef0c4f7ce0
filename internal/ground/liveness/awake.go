package liveness

import (
	"sync"
	"time"
)

// steps is the number of parts into which awakeFor divides its time.
const steps = 10

// awakeFor calls f on another goroutine when this process has been awake for d. A timer follows the clock: if
// the process is stopped, the timer fires as soon as the process continues. So awakeFor divides d into parts,
// and a stop ends at most one of them early.
//
// f may be called once more after stop has returned.
func awakeFor(d time.Duration, f func()) (stop func()) {
	w := &awake{part: d / steps, left: steps, f: f}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.part, w.tick)
	return w.stop
}

// awake counts the parts of the time for which the process must be awake.
type awake struct {
	part time.Duration
	f    func()

	mu      sync.Mutex
	timer   *time.Timer
	left    int
	stopped bool
}

func (w *awake) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if w.left--; w.left == 0 {
		go w.f()
		return
	}
	w.timer.Reset(w.part)
}

func (w *awake) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}
