package acp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestHeapLimit: every error because of a full heap names the limit of heaps and the option that sets it.
func TestHeapLimit(t *testing.T) {
	want := fmt.Sprintf("heap full: heaps of at most %d bytes; -startermemsize-dl (ACP_STARTER_MEMSIZE_DL) raises the limit", acp.MinHeapSize)
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			next := 1 - p.Rank()
			_, full := p.Malloc(acp.MinHeapSize+1, p.Rank())
			_, far := p.Malloc(acp.MinHeapSize+1, next)
			_, large := acp.NewVector[byte](p.Process, acp.MinHeapSize, next)
			_, slots := acp.NewMap[int, int](p.Process, []acp.Rank{next}, acp.MinHeapSize, next)
			_, pieces := p.NewWorkspace(4 * acp.MinHeapSize)
			if err := p.Sync(); err != nil {
				return err
			}
			all, err := p.Malloc(acp.MinHeapSize, p.Rank())
			if err := errors.Join(err, p.Sync()); err != nil {
				return err
			}
			_, ring := p.NewChannel(next, p.Rank(), acp.ChannelOptions{})
			for what, err := range map[string]error{"malloc": full, "far": far, "vector": large, "map": slots, "workspace": pieces, "channel": ring} {
				if !errors.Is(err, acp.ErrHeapFull) || !strings.HasSuffix(err.Error(), want) {
					return fmt.Errorf("%s: %v, expected %q", what, err, want)
				}
			}
			return errors.Join(p.Free(all), p.Sync())
		})
	})
}
