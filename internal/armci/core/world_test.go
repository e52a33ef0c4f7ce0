package core_test

import (
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/armci/core"
	"github.com/goacp/goacp/internal/extension/extensiontest"
)

// forEachMode runs n ranks in this process, over shared memory and over sockets, makes a world of all of
// them, and gives each a goroutine that executes what body returns. It fails the test if that fails.
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
