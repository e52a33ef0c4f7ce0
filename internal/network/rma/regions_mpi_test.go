//go:build mpi

package rma

import (
	"math"
	"testing"
)

// FuzzRegion: what an owner says of its memory leads to a window that there is, and to
// addresses that are not negative, or it is refused.
func FuzzRegion(f *testing.F) {
	const base, windows = 1 << 40, 4
	f.Add(uint64(base), uint64(base), uint64(4096), uint64(1<<40), int64(0))
	f.Add(uint64(base), uint64(base), uint64(4096), uint64(1<<40), int64(windows))
	f.Add(uint64(base), uint64(base), uint64(4096), uint64(1<<40), int64(math.MinInt64))
	f.Add(uint64(base)+1, uint64(base), uint64(math.MaxUint64), uint64(1), int64(1))
	f.Add(uint64(base)+1, uint64(base), uint64(8), uint64(math.MaxUint64), int64(1))
	f.Add(uint64(0), uint64(0), uint64(8), uint64(8), int64(1))
	f.Fuzz(func(t *testing.T, pos, from, size, addr uint64, window int64) {
		r := Region{Pos: from, Size: size, Addr: addr, Window: int(window)}
		if !r.sound(pos, windows) {
			return
		}
		if r.Window < -1 || r.Window >= windows {
			t.Errorf("window %d of %d", r.Window, windows)
		}
		if at := int64(r.Addr + (pos - r.Pos)); at < 0 || pos < r.Pos || pos-r.Pos > r.Size {
			t.Errorf("position %#x of %+v is at %#x", pos, r, at)
		}
	})
}

func TestSoundRegion(t *testing.T) {
	const base = 1 << 40
	r := Region{Pos: base, Size: 4096, Addr: 1 << 40, Window: 3}
	for pos, want := range map[uint64]bool{
		base: true, base + 4096: true,
		base + 4097: false, base - 1: false,
	} {
		if got := r.sound(pos, 4); got != want {
			t.Errorf("position %#x: %v, expected %v", pos, got, want)
		}
	}
	if r.sound(r.Pos, 3) {
		t.Error("a window that is not there")
	}
	if r.Window = -1; !r.sound(r.Pos, 4) {
		t.Error("memory that is in no window is refused")
	}
}
