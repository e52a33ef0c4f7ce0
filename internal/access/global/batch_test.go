package global_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
)

// add begins one copy of a batch.
func add(m *global.Memory, b *global.Batch, dst, src, n uint64) error {
	if err := b.WaitCapacity(); err != nil {
		return err
	}
	defer m.Leave(m.Enter())
	to, err := m.Find(dst, n)
	if err != nil {
		return err
	}
	from, err := m.Find(src, n)
	if err == nil {
		b.Add(to, from, n)
	}
	return err
}

// TestBatch moves the pieces of some memory in any order, many at the same time, between all
// kinds of memory.
func TestBatch(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		rnd := rand.New(rand.NewPCG(9, 10))
		all := areas(t, w)
		const piece = 61
		const pieces = areaBytes / piece // more than may be under way
		for _, r := range w.Ranks {
			for _, dst := range all {
				src := all[rnd.IntN(len(all))]
				if src == dst {
					continue
				}
				copy(src.mem, noise(rnd, areaBytes))
				b := r.Mem.NewBatch()
				for _, i := range rnd.Perm(pieces) {
					at := uint64(i * piece)
					if err := add(r.Mem, b, dst.at+at, src.at+at, piece); err != nil {
						t.Fatal(err)
					}
				}
				if err := b.Wait(); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(dst.mem[:pieces*piece], src.mem[:pieces*piece]) {
					t.Fatalf("rank %d, from %s of rank %d to %s of rank %d: other bytes", r.Numbers.Own(), src.what, src.rank, dst.what, dst.rank)
				}
			}
		}
	})
}

// TestBatchFails: the error of any copy is that of the batch, and the other copies are made.
func TestBatchFails(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		for _, r := range w.Ranks {
			b := r.Mem.NewBatch()
			copy(r.Space.Starter(), "abc")
			var refused error // by the own rank, which knows at once
			for i := range uint64(3) {
				err := add(r.Mem, b, r.Starter(16+i), r.Starter(i), 1)
				if i == 1 {
					refused = add(r.Mem, b, nowhere(1), r.Starter(0), 1)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := global.Cause(errors.Join(refused, b.Wait())); !errors.Is(err, global.ErrBadAddress) {
				t.Errorf("rank %d: %v", r.Numbers.Own(), err)
			}
			if got := string(r.Space.Starter()[16:19]); got != "abc" {
				t.Errorf("rank %d: got %q", r.Numbers.Own(), got)
			}
		}
	})
}
