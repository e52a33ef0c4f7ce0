package dmi_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/dmi"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// TestRescaleGivesUp: when the context of a Rescale that waits for processes ends, at any moment, the next Rescale runs.
func TestRescaleGivesUp(t *testing.T) {
	const turns = 200
	program := dmi.Program{
		Main: func(n *dmi.Node, _ []string) error {
			a, err := n.Map(8, 1)
			if err != nil {
				return err
			}
			for turn := range int64(turns) {
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					for range turn * 20 {
						runtime.Gosched()
					}
					cancel()
				}()
				if err := n.Rescale(ctx, a, 2, 1); !errors.Is(err, context.Canceled) {
					return fmt.Errorf("waiting for a second process: %v, expected %v", err, context.Canceled)
				}
				if err := n.Rescale(t.Context(), a, 1, 1); err != nil {
					return fmt.Errorf("turn %d: the next Rescale: %w", turn, err)
				}
				if ran, err := n.FetchAdd(a, 0, dmi.Put); err != nil || ran != turn+1 {
					return fmt.Errorf("%d threads have run in %d turns (%v)", ran, turn+1, err)
				}
			}
			return nil
		},
		Unit: func(t *dmi.Thread, _, _ int, a dmi.Addr) error {
			_, err := t.FetchAdd(a, 1, dmi.Put)
			return err
		},
	}
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		cfg := acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}
		extensiontest.RunElastic(t, 1, 2, cfg, func(_ *extensiontest.Elastic, p *acp.Process) error { return dmi.Run(p, program, nil) })
	})
}
