package gp_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// member is one rank of a test.
type member struct {
	*acp.Process
	met *sync.Mutex
}

// sync is gp.Sync. It also synchronises for the race detector, which does not see the barrier
// in shared memory.
func (m *member) sync() error {
	m.meet()
	defer m.meet()
	return gp.Sync(m.Process)
}

func (m *member) meet() {
	m.met.Lock()
	defer m.met.Unlock()
}

// config is how the ranks of these tests are opened.
func config(mode bridge.Mode) acp.Config { return acp.Config{Mode: mode, HeapSize: acp.MinHeapSize} }

// run opens n ranks, and gives each a goroutine that executes body. It fails the test if one of
// them returns an error.
func run(t *testing.T, mode bridge.Mode, n int, body func(p *member) error) {
	t.Helper()
	var met sync.Mutex
	extensiontest.Run(t, n, config(mode), func(p *acp.Process) error { return body(&member{p, &met}) })
}

// forEach runs f over shared memory and over sockets, with each number of ranks.
func forEach(t *testing.T, ranks []int, f func(t *testing.T, mode bridge.Mode, n int)) {
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		for _, n := range ranks {
			t.Run(fmt.Sprint(n), func(t *testing.T) { f(t, mode, n) })
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

// wholeHeap checks that the heap of this rank holds nothing. No rank uses it.
func wholeHeap(p *member) error {
	if err := p.sync(); err != nil {
		return err
	}
	all, err := p.Malloc(acp.MinHeapSize, p.Rank())
	if err != nil {
		return fmt.Errorf("the heap of rank %d is not whole: %w", p.Rank(), err)
	}
	return p.Free(all)
}
