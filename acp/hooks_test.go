package acp_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/process/extension"
)

// witness records what the hooks of an extension receive. Its process may be one that cannot leave.
type witness struct {
	mu     sync.Mutex
	events []string
	stays  bool
}

func (w *witness) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprintf(format, args...))
}

var witnesses = extension.Register(extension.Extension[*witness]{
	Name:   "witness",
	Open:   func(*extension.Process) (*witness, error) { return new(witness), nil },
	Joined: func(w *witness, member int) { w.note("joined %d", member) },
	Left:   func(w *witness, member int) { w.note("left %d", member) },
	Lost:   func(w *witness, member int) { w.note("lost %d", member) },
	Leave: func(w *witness) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.stays {
			return errors.New("an array")
		}
		return nil
	},
})

// TestExtensionsFollowChanges: an extension receives the processes that come, leave and are lost, and can keep its process from
// leaving.
func TestExtensionsFollowChanges(t *testing.T) {
	h := &history{}
	ready := make(chan struct{})
	h.elasticRun = startElastic(t, bridge.ModeAuto, 3, 5, func(p *acp.Process) error {
		<-ready
		w := witnesses.Of(p)
		switch p.Rank() {
		case 0:
			if err := h.killed(p, true); err != nil {
				return err
			}
		case 1:
			w.mu.Lock()
			w.stays = true
			w.mu.Unlock()
			if _, err := p.Adopt(false); !errors.Is(err, acp.ErrStays) || !strings.Contains(err.Error(), "a part of an array") {
				return fmt.Errorf("rank 1 leaves with a part: %v", err)
			}
		}
		_, err := p.Adopt(p.Rank() != 2)
		if err != nil || p.Rank() == 2 {
			return err
		}
		return w.await(p, "joined 3", "lost 3", "left 2")
	})
	close(ready)
	h.wait()
}

// await waits until the witness of a process has received some events, and no others.
func (w *witness) await(p *acp.Process, want ...string) error {
	for seen := int64(-1); ; {
		w.mu.Lock()
		events := slices.Clone(w.events)
		w.mu.Unlock()
		if slices.Equal(events, want) {
			return nil
		}
		if len(events) >= len(want) {
			return fmt.Errorf("the hooks of rank %d have received %q, expected %q", p.Rank(), events, want)
		}
		var err error
		if seen, err = p.AwaitChange(seen); err != nil {
			return err
		}
	}
}
