package couple_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// TestScheduleMemory: for a link between lists of points without any pattern, the library keeps at most twice the
// memory of these lists.
func TestScheduleMemory(t *testing.T) {
	// The points of each side are so many that the other memory of a link is negligible.
	const ranks, n = 8, 300000
	var before, after runtime.MemStats
	extensiontest.Run(t, ranks, acp.Config{Mode: bridge.ModeSHM, HeapSize: heapSize}, func(p *acp.Process) error {
		side, index := int(p.Rank())/(ranks/2), int(p.Rank())%(ranks/2)
		const each = n / (ranks / 2)
		list := couple.List(slices.Clone(rand.New(rand.NewPCG(1, uint64(side))).Perm(n)[index*each:][:each]))
		data := make([]int8, each)
		var group []acp.Rank
		for i := range ranks / 2 {
			group = append(group, acp.Rank(side*ranks/2+i))
		}
		m, err := couple.NewModel(p, []string{"a", "b"}[side], group)
		if err := errors.Join(err, measure(p, &before)); err != nil {
			return err
		}
		f, err := couple.NewField(m, "f", data, list, 1)
		if err != nil {
			return err
		}
		ctx := context.Background()
		var e end
		if side == 0 {
			e, err = f.SendTo(ctx, "b.f", couple.Options{})
		} else {
			e, err = f.ReceiveFrom(ctx, "a.f", couple.Options{})
		}
		if err := errors.Join(err, measure(p, &after)); err != nil {
			return err
		}
		runtime.KeepAlive(list)
		return e.Close(ctx)
	})
	const lists = 2 * n * 8
	kept := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("%.2f of the memory of the lists", float64(kept)/lists)
	if kept > 2*lists {
		t.Errorf("a link between %d points keeps %d bytes, and their lists have %d", n, kept, lists)
	}
}

// measure lets rank 0 read how much memory the process uses, while all ranks wait.
func measure(p *acp.Process, m *runtime.MemStats) error {
	err := p.Sync()
	if err == nil && p.Rank() == 0 {
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(m)
	}
	return errors.Join(err, p.Sync())
}
