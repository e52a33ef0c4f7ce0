package workspace

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
)

// TestCreateFails on all ranks if it fails on one, and takes no memory.
func TestCreateFails(t *testing.T) {
	for _, c := range []struct {
		what  string
		first func(rank int) int
		piece func(rank int) uint64
		size  func(rank int) uint64
		fail  error
	}{
		{"sizes differ", nil, nil, func(rank int) uint64 { return uint64(100 + rank) }, collective.ErrDisagree},
		{"first ranks differ", func(rank int) int { return rank }, nil, nil, collective.ErrDisagree},
		{"pieces differ", nil, func(rank int) uint64 { return uint64(10 + rank/2) }, nil, collective.ErrDisagree},
		{"more than there can be", nil, nil, func(int) uint64 { return math.MaxUint64 }, global.ErrFull},
		{"one rank has no room", nil, func(int) uint64 { return globaltest.Heap + 1 }, func(int) uint64 { return 2*globaltest.Heap + 2 }, global.ErrFull},
	} {
		forEachRank(t, bridge.ModeSHM, func(r rank) error {
			me, first, piece, size := r.Numbers.Own(), 0, uint64(10), uint64(100)
			if c.first != nil {
				first = c.first(me)
			}
			if c.piece != nil {
				piece = c.piece(me)
			}
			if c.size != nil {
				size = c.size(me)
			}
			if err := r.SetParams(first, piece); err != nil {
				return err
			}
			if w, err := r.Create(size); w != nil || !errors.Is(err, c.fail) {
				return fmt.Errorf("%s: %v, expected %v", c.what, err, c.fail)
			}
			if n, err := r.blocks(); n != 0 || err != nil {
				return fmt.Errorf("%s: %d blocks are left, %v", c.what, n, err)
			}
			return nil
		})
	}
}

// TestAllOfEveryHeap: a workspace may take all memory of all heaps, and Destroy frees it.
func TestAllOfEveryHeap(t *testing.T) {
	forEachRank(t, bridge.ModeTCP, func(r rank) error {
		if err := r.SetParams(1, globaltest.Heap); err != nil {
			return err
		}
		w, err := r.Create(3 * globaltest.Heap)
		if err != nil {
			return err
		}
		if _, err := r.Mem.Alloc(r.Numbers.Self(), 1); !errors.Is(err, global.ErrFull) {
			return fmt.Errorf("beside the workspace: %v", err)
		}
		if err := w.Destroy(); err != nil {
			return err
		}
		if n, err := r.blocks(); n != 0 || err != nil {
			return fmt.Errorf("%d blocks are left, %v", n, err)
		}
		return nil
	})
}

// TestParams: invalid parameters are refused, and Forget restores the defaults.
func TestParams(t *testing.T) {
	forEachRank(t, bridge.ModeSHM, func(r rank) error {
		if err := r.SetParams(2, 10); err != nil {
			return err
		}
		for _, c := range []struct {
			first int
			piece uint64
			want  error
		}{{-1, 1, global.ErrBadRank}, {3, 1, global.ErrBadRank}, {0, 0, global.ErrBadSize}} {
			if err := r.SetParams(c.first, c.piece); !errors.Is(err, c.want) {
				return fmt.Errorf("%+v: %v", c, err)
			}
		}
		w, err := r.Create(100)
		if err != nil {
			return err
		}
		if l := w.Layout(); l != (Layout{Size: 100, First: 2, Piece: 10, Ranks: 3}) {
			return fmt.Errorf("laid out as %+v", l)
		}
		r.Forget()
		if err := w.Destroy(); !errors.Is(err, global.ErrDestroyed) {
			return fmt.Errorf("destroyed after a reset: %v", err)
		}
		if w, err = r.Create(0); err != nil {
			return err
		}
		if l := w.Layout(); l != (Layout{Piece: DefaultPiece, Ranks: 3}) {
			return fmt.Errorf("laid out as %+v after a reset", l)
		}
		return w.Destroy()
	})
}

// TestDestroy: all ranks destroy the same workspace, once.
func TestDestroy(t *testing.T) {
	forEachRank(t, bridge.ModeSHM, func(r rank) error {
		a, err := r.Create(10)
		if err != nil {
			return err
		}
		b, err := r.Create(10)
		if err != nil {
			return err
		}
		w := a
		if r.Numbers.Own() == 1 {
			w = b
		}
		if err := w.Destroy(); !errors.Is(err, collective.ErrDisagree) {
			return fmt.Errorf("different workspaces: %v", err)
		}
		if err := errors.Join(a.Destroy(), b.Destroy()); err != nil {
			return err
		}
		if err := a.Destroy(); !errors.Is(err, global.ErrDestroyed) {
			return fmt.Errorf("destroyed twice: %v", err)
		}
		if err := a.Read(r.Starter(0), 1, 0); !errors.Is(err, global.ErrDestroyed) {
			return fmt.Errorf("read: %v", err)
		}
		return nil
	})
}

// TestRunEnds: when the run is over, all operations on workspaces fail.
func TestRunEnds(t *testing.T) {
	var all [3]struct {
		r rank
		w *Workspace
	}
	world := forEachRank(t, bridge.ModeTCP, func(r rank) (err error) {
		own := &all[r.Numbers.Own()]
		own.r = r
		own.w, err = r.Create(100)
		return err
	})
	over := errors.New("over")
	world.End(over)
	for _, x := range all {
		_, err := x.r.Create(100)
		if e := x.w.Write(ga.Make(0, 4096), 1, 0); err != over || !errors.Is(e, over) || x.w.Destroy() != over {
			t.Errorf("create: %v, write: %v", err, e)
		}
	}
}
