package liveness

import (
	"testing"
	"time"
)

// TestAwake: a limit is over when all its parts have passed, and a part that takes long,
// because the process is stopped, is one part.
func TestAwake(t *testing.T) {
	called := make(chan bool, 2)
	w := &awake{part: time.Hour, left: steps, f: func() { called <- true }}
	w.timer = time.AfterFunc(time.Hour, w.tick)
	for range steps - 1 {
		w.tick()
	}
	if w.left != 1 || len(called) != 0 {
		t.Fatalf("%d parts are left, called %d times", w.left, len(called))
	}
	w.tick()
	<-called
	w.stop()
	w.tick()
	if len(called) != 0 || w.left != 0 {
		t.Error("called after the end")
	}

	over := make(chan bool, 1)
	defer awakeFor(10*time.Millisecond, func() { over <- true })()
	<-over
	awakeFor(time.Hour, func() { t.Error("called after stop") })()
}
