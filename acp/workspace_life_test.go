package acp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestWorkspaceCreationFails on all ranks if it fails on one, without taking memory.
func TestWorkspaceCreationFails(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			me := uint64(p.Rank())
			var obstacle acp.GA
			for _, c := range []struct {
				what string
				set  func() error
				size uint64
				fail error
			}{
				{"sizes differ", func() error { return nil }, 100 + me, acp.ErrDisagree},
				{"starts differ", func() error { return p.SetWorkspaceParams(acp.Rank(me), 100) }, 1000, acp.ErrDisagree},
				{"pieces differ", func() error { return p.SetWorkspaceParams(0, 100+me/2) }, 1000, acp.ErrDisagree},
				{"more than there can be", func() error { return p.SetWorkspaceParams(0, 1) }, math.MaxUint64, acp.ErrHeapFull},
				{"small pieces", func() error { return p.SetWorkspaceParams(0, 1) }, 1 << 30, acp.ErrHeapFull},
				{"more than there is", func() error { return p.SetWorkspaceParams(0, acp.DefaultHeapSize) }, n1(n, acp.DefaultHeapSize), acp.ErrHeapFull},
				{"one rank is full", func() (err error) {
					if me == 1 {
						obstacle, err = p.Malloc(acp.DefaultHeapSize/2, 1)
					}
					return err
				}, acp.DefaultHeapSize * 5 / 2, acp.ErrHeapFull},
			} {
				if err := c.set(); err != nil {
					return err
				}
				if w, err := p.NewWorkspace(c.size); w != nil || !errors.Is(err, c.fail) {
					return fmt.Errorf("%s: %v", c.what, err)
				}
			}
			if obstacle != acp.NullGA {
				if err := p.Free(obstacle); err != nil {
					return err
				}
			}
			if err := wholeHeap(p); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			// This takes all of every heap. The address space is reserved and not touched.
			w, err := p.NewWorkspace(uint64(n) * acp.DefaultHeapSize)
			if err != nil {
				return err
			}
			return w.Destroy()
		})
	})
}

// n1 returns n times size plus one.
func n1(n int, size uint64) uint64 { return uint64(n)*size + 1 }

// TestWorkspaceAfterReset: a reset drops workspaces and parameters.
func TestWorkspaceAfterReset(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if err := p.SetWorkspaceParams(2, 10); err != nil {
				return err
			}
			old, err := p.NewWorkspace(100)
			if err != nil {
				return err
			}
			if err := p.Reset(acp.Rank((int(p.Rank()) + 1) % n)); err != nil {
				return err
			}
			if _, err := old.ReadAt(make([]byte, 1), 0); !errors.Is(err, acp.ErrDestroyed) {
				return fmt.Errorf("read: %v", err)
			}
			if err := old.Destroy(); !errors.Is(err, acp.ErrDestroyed) {
				return fmt.Errorf("destroy: %v", err)
			}
			w, err := p.NewWorkspace(100)
			if err != nil {
				return err
			}
			if ga, size := w.Piece(0); w.Pieces() != 1 || size != 100 || must(p.QueryRank(ga)) != 0 {
				return fmt.Errorf("%d pieces, the first at %v", w.Pieces(), ga)
			}
			return w.Destroy()
		})
	})
}

// TestLostRunEndsWorkspace ends the run while ranks create and destroy workspaces.
func TestLostRunEndsWorkspace(t *testing.T) {
	loseRun(t, func(_ context.Context, p *acp.Process) (func() error, error) {
		w, err := p.NewWorkspace(1 << 20)
		if err != nil || p.Rank() != 1 {
			return w.Destroy, err
		}
		return func() error { return last(p.NewWorkspace(100)) }, nil
	})
}
