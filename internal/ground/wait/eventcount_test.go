package wait

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestEventCount: every change that is notified is seen by all that are parked, without a park that lasts to its
// bound.
func TestEventCount(t *testing.T) {
	const rounds, sleepers = 2000, 3
	var e EventCount
	var now, seen atomic.Uint32
	var all sync.WaitGroup
	for range sleepers {
		all.Go(func() {
			for want := uint32(1); want <= rounds; want++ {
				if err := e.Park(func() (bool, error) { return now.Load() >= want, nil }); err != nil {
					t.Error(err)
				}
				if seen.Add(1)%sleepers == 0 && want < rounds {
					now.Add(1)
					e.Notify()
				}
			}
		})
	}
	now.Add(1)
	e.Notify()
	all.Wait()
	if seen.Load() != rounds*sleepers || e.parked != 0 {
		t.Errorf("%d of %d changes were seen, and %d are parked", seen.Load(), rounds*sleepers, e.parked)
	}
}

// TestEventCountEnds: an error ends the park of all.
func TestEventCountEnds(t *testing.T) {
	var e EventCount
	var over atomic.Pointer[error]
	ended := make(chan error)
	for range 2 {
		go func() {
			ended <- e.Park(func() (bool, error) {
				if err := over.Load(); err != nil {
					return false, *err
				}
				return false, nil
			})
		}()
	}
	end := errors.New("over")
	over.Store(&end)
	e.Notify()
	for range 2 {
		if err := <-ended; err != end {
			t.Errorf("%v, expected %v", err, end)
		}
	}
}
