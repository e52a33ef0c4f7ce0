package armci_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/armci"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// config is how the ranks of these tests are opened.
func config(mode bridge.Mode) acp.Config { return acp.Config{Mode: mode, HeapSize: acp.MinHeapSize} }

// run opens n ranks, makes a world of them, and gives each a goroutine that executes body. It fails the
// test if one of them returns an error.
func run(t *testing.T, mode bridge.Mode, n int, body func(w *armci.World) error) {
	t.Helper()
	extensiontest.Run(t, n, config(mode), func(p *acp.Process) error { return inWorld(p, body) })
}

// inWorld executes body in a world of all ranks.
func inWorld(p *acp.Process, body func(w *armci.World) error) error {
	w, err := armci.Open(p, armci.Config{})
	if err != nil {
		return err
	}
	if err := body(w); err != nil {
		return err
	}
	return w.Close()
}

// forEach runs a body over shared memory and over sockets, with each number of ranks.
func forEach(t *testing.T, procs []int, body func(w *armci.World) error) {
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		for _, n := range procs {
			t.Run(fmt.Sprint(n), func(t *testing.T) { run(t, mode, n, body) })
		}
	})
}

// expect returns nil if err is want.
func expect(want, err error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%v, expected %v", err, want)
}
