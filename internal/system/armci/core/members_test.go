package core_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// TestMembersOf: processes find each other by their contacts, in any order, and no processes of other
// runs.
func TestMembersOf(t *testing.T) {
	const n = 3
	cfg := acp.Config{HeapSize: acp.MinHeapSize}
	var strange []byte
	extensiontest.Run(t, 1, cfg, func(p *acp.Process) error {
		strange = core.Of(p).Contact()
		return nil
	})
	var mu sync.Mutex
	contacts := make([][]byte, n)
	extensiontest.Run(t, n, cfg, func(p *acp.Process) error {
		s := core.Of(p)
		mu.Lock()
		contacts[p.Rank()] = s.Contact()
		mu.Unlock()
		if err := p.Sync(); err != nil {
			return err
		}
		mu.Lock()
		all := slices.Clone(contacts)
		mu.Unlock()
		members, err := s.MembersOf([][]byte{all[2], all[0]})
		if err != nil || !slices.Equal(members, []int{2, 0}) {
			return fmt.Errorf("found %v, %w", members, err)
		}
		for name, wrong := range map[string][]byte{"another run": strange, "no run": nil, "damaged": all[1][1:]} {
			if _, err := s.MembersOf([][]byte{all[0], wrong}); !errors.Is(err, world.ErrState) {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}
