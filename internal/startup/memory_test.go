package startup

import (
	"math"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/heap"
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
	} {
		if got := heapSize(c.size, c.mode, c.rdma, c.local); got != c.want {
			t.Errorf("%d bytes, mode %v, %v, local %v: %d, want %d", c.size, c.mode, c.rdma, c.local, got, c.want)
		}
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

// TestRunOf: the identity of a run is that of its token, and does not show the token.
func TestRunOf(t *testing.T) {
	a, same, b := bridge.Token{1}, bridge.Token{1}, bridge.Token{2}
	run := runOf(a)
	if run != runOf(same) || run == runOf(b) {
		t.Error("the identity does not stand for the token")
	}
	if string(run[:]) == string(a[:len(run)]) {
		t.Error("the identity is the token")
	}
}
