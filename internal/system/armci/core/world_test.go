package core_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// forEachMode runs n ranks in this process, over shared memory and over sockets, makes a world of all of
// them, and runs the function that body returns for each rank on a goroutine. It fails the test if a
// function fails.
func forEachMode(t *testing.T, n int, body func(t *testing.T) func(s *core.System) error) {
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		live := body(t)
		cfg := acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}
		extensiontest.Run(t, n, cfg, func(p *acp.Process) error {
			s := core.Of(p)
			err := s.Begin(s.Members(), core.Options{Failed: func(err error) { p.Abort(err.Error()) }})
			if err == nil {
				err = live(s)
			}
			if err == nil {
				err = s.End()
			}
			return err
		})
	})
}

// TestBeginWithoutMemory: if one process has no memory for its locks, all processes get the error, and
// may try again.
func TestBeginWithoutMemory(t *testing.T) {
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		extensiontest.Run(t, 3, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *acp.Process) error {
			s := core.Of(p)
			for n := uint64(acp.MinHeapSize); p.Rank() == 1 && n > 0; n /= 2 { // fill the heap
				for err := error(nil); err == nil; {
					_, err = s.Local().Alloc(n)
				}
			}
			if err := s.Begin(s.Members(), core.Options{}); !errors.Is(err, world.ErrMemory) {
				return fmt.Errorf("began with %v, expected %v", err, world.ErrMemory)
			}
			if err := s.Begin(s.Members(), core.Options{}); err != nil {
				return err
			}
			return s.End()
		})
	})
}
