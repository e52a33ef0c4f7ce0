package session

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// TestStartLeaves: a process of the start leaves, and its pages are kept.
func TestStartLeaves(t *testing.T) {
	const pages, pageSize = 30, 1000
	unit := func(s *Session, t *thread.Thread) error {
		if t.Kind() == thread.Created {
			return addNothing(s, t.Addr, pages, pageSize)
		}
		return addToPages(s, t, pages, pageSize)
	}
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		elasticMain(t, mode, 2, 8, unit, func(s *Session, r *extensiontest.Elastic) error {
			at, err := s.Node.Map(pageSize, pages+1)
			if err != nil {
				return err
			}
			for phase, nodes := range []int{2, 3, 2, 2} {
				switch phase {
				case 1:
					if _, err := s.Threads.Fork(0, 0); err != nil {
						return err
					}
					if err := addOnAll(s, at); err != nil {
						return err
					}
				case 2:
					if err := s.Threads.Goodbye(1); err != nil {
						return err
					}
				}
				if err := s.Threads.Rescale(nil, at, nodes, 2); err != nil {
					return fmt.Errorf("phase %d: %w", phase, err)
				}
				if err := checkPhase(s, at, uint64(phase+1), pages, pageSize); err != nil {
					return fmt.Errorf("phase %d: %w", phase, err)
				}
			}
			return nil
		})
	})
}

// addOnAll lets threads on three processes add to random pages, and joins them.
func addOnAll(s *Session, at int64) error {
	var ids []thread.ID
	for process := range 3 {
		id, err := s.Threads.Create(process, at, 0)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		if _, err := s.Threads.Join(nil, id); err != nil {
			return err
		}
	}
	return nil
}

// addNothing adds 0 to random pages.
func addNothing(s *Session, at, pages, pageSize int64) error {
	for i := range 500 {
		mode := []node.Mode{node.Put, node.Exclusive}[i%2]
		if _, err := s.Node.FetchAdd(at+rand.Int64N(pages)*pageSize, 0, mode); err != nil {
			return err
		}
	}
	return nil
}
