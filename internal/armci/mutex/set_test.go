package mutex

import (
	"errors"
	"testing"

	"github.com/goacp/goacp/internal/armci/world"
)

// alone is a process that is a group by itself.
type alone struct{}

func (alone) Procs() []int                        { return []int{0} }
func (alone) Rank() int                           { return 0 }
func (alone) Exchange(own []byte) ([]byte, error) { return own, nil }
func (alone) Barrier() error                      { return nil }

// TestNumbersEnd: notices name each set, and if there is no number left for another one it is not
// made.
func TestNumbersEnd(t *testing.T) {
	m := &Mutexes{waiters: &Waiters{sets: maxSets - 1}}
	if s, err := m.Create(alone{}, 0); err != nil || s.number != maxSets {
		t.Errorf("the last set: %v", err)
	}
	if _, err := m.Create(alone{}, 0); !errors.Is(err, world.ErrMemory) {
		t.Errorf("one more: %v", err)
	}
	if _, err := m.Create(alone{}, -1); !errors.Is(err, world.ErrCount) {
		t.Errorf("fewer than none: %v", err)
	}
}
