package startup

import (
	"math"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/segment"
)

func TestHeapSize(t *testing.T) {
	for _, c := range []struct {
		size  uint64
		mode  bridge.Mode
		rdma  bridge.RDMA
		local bool
		want  uint64
	}{
		{0, bridge.ModeAuto, bridge.RDMAAbsent, false, DefaultHeapSize},
		{0, bridge.ModeAuto, bridge.RDMAFound, true, DefaultHeapSize},
		{0, bridge.ModeAuto, bridge.RDMAFound, false, MinHeapSize},
		{0, bridge.ModeAuto, bridge.RDMAAsserted, false, MinHeapSize},
		{0, bridge.ModeTCP, bridge.RDMAFound, false, DefaultHeapSize},
		{0, bridge.ModeSHM, bridge.RDMAFound, true, DefaultHeapSize},
		{0, bridge.ModeRMA, bridge.RDMAAbsent, true, MinHeapSize},
		{1 << 31, bridge.ModeRMA, bridge.RDMAFound, false, 1 << 31},
		{UnlimitedHeap, bridge.ModeAuto, bridge.RDMAAbsent, false, UnlimitedHeap},
		{UnlimitedHeap, bridge.ModeAuto, bridge.RDMAFound, true, UnlimitedHeap},
		{UnlimitedHeap, bridge.ModeAuto, bridge.RDMAFound, false, DefaultHeapSize},
		{UnlimitedHeap, bridge.ModeRMA, bridge.RDMAAbsent, true, DefaultHeapSize},
	} {
		if got := heapSize(c.size, c.mode, c.rdma, c.local); got != c.want {
			t.Errorf("%d bytes, mode %v, %v, local %v: %d, want %d", c.size, c.mode, c.rdma, c.local, got, c.want)
		}
	}
}

// TestUnlimitedHeap: each bound alone decides, and what the bound holds has room for the layout.
func TestUnlimitedHeap(t *testing.T) {
	const much, starter = math.MaxUint64, 10000
	none := bounds{slot: much, file: much, addresses: much, host: much}
	if got := none.heap(starter); got != segment.MaxHeap(starter, much) {
		t.Errorf("without bounds: %d", got)
	}
	for name, c := range map[string]struct {
		b    bounds
		fits uint64 // the greatest memory
	}{
		"slot":      {bounds{16 << 30, much, much, much}, 16 << 30},
		"file":      {bounds{much, 1 << 30, much, much}, 1 << 30},
		"addresses": {bounds{much, much, 4 << 30, much}, 2 << 30},
	} {
		heap := c.b.heap(starter)
		size := segment.Layout{Starter: starter, Heap: heap}.MapSize()
		if size > c.fits || size < c.fits-c.fits/10 {
			t.Errorf("%s: a heap of %d makes a memory of %d, which has room for %d", name, heap, size, c.fits)
		}
	}
	if got := (bounds{much, much, much, 5 << 30}).heap(starter); got != 5<<30 {
		t.Errorf("on a host with 5 GiB: %d", got)
	}
	if got := (bounds{much, much, 0, much}).heap(starter); got != 0 {
		t.Errorf("without address space: %d", got)
	}
	if b, err := boundsOf(segment.SlotOf(0, 1)); err != nil || b.host < MinHeapSize || b.heap(starter) < MinHeapSize {
		t.Errorf("bounds of this process: %+v, %v", b, err)
	}
}

func TestLayout(t *testing.T) {
	for _, c := range []struct{ limit, want uint64 }{
		{1, MinHeapSize},
		{MinHeapSize, MinHeapSize},
		{MinHeapSize + 1, MinHeapSize + heap.Unit},
		{DefaultHeapSize, DefaultHeapSize},
		{math.MaxUint64, math.MaxUint64}, // too much, which segment.New says
	} {
		if got := layout(4096, c.limit); got.Heap != c.want || got.Starter != 4096 {
			t.Errorf("limit %d: %+v, want a heap of %d", c.limit, got, c.want)
		}
	}
}
