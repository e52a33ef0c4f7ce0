package couple_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// heapSize is the bytes of the heaps of these tests.
const heapSize = 16 * acp.MinHeapSize

// run opens n ranks, and gives each a goroutine that executes body. It fails the test if one of
// them returns an error.
func run(t *testing.T, mode bridge.Mode, n int, body func(ctx context.Context, p *acp.Process) error) {
	t.Helper()
	ctx := t.Context()
	extensiontest.Run(t, n, acp.Config{Mode: mode, HeapSize: heapSize}, func(p *acp.Process) error { return body(ctx, p) })
}

// forEach runs body over shared memory and over sockets, with each number of ranks.
func forEach(t *testing.T, ranks []int, body func(ctx context.Context, p *acp.Process) error) {
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		for _, n := range ranks {
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
