package acp_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestSpinWhileOthersSleep: the run has one rank more than there are processors. While one rank sleeps in
// Sync, the other ranks spin if they share memory with it.
func TestSpinWhileOthersSleep(t *testing.T) {
	n := runtime.NumCPU() + 1
	if n > 17 {
		t.Skip("too many processors")
	}
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			const rounds = 20
			var met [2 * rounds]sync.WaitGroup // of the ranks, without the library
			for i := range met {
				met[i].Add(n)
			}
			meet := func(i int) {
				met[i].Done()
				met[i].Wait()
			}
			run(t, n, acp.Config{Mode: mode}, func(p *member) error {
				for round := range rounds {
					meet(2 * round)
					if p.MaySpin() {
						t.Errorf("rank %d may spin while all of %d ranks are awake", p.Rank(), n)
					}
					meet(2*round + 1)
					for mode == bridge.ModeSHM && int(p.Rank()) != round%n && !p.MaySpin() {
						time.Sleep(time.Millisecond)
					}
					if err := p.Process.Sync(); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}
