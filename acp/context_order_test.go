package acp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestGiveUpOther: an operation on two structures follows earlier operations on either structure whose calls
// returned early. If its own call returns early, later operations on either structure follow it.
func TestGiveUpOther(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			for range 200 {
				if p.Rank() != 0 {
					break
				}
				if err := errors.Join(swapsInOrder(p.Process), mergesInOrder(p.Process)); err != nil {
					return err
				}
			}
			return heapIsWhole(p)
		})
	})
}

// perhapsGivenUp returns err unless it is the error of a call that returned early.
func perhapsGivenUp(err error) error {
	if errors.Is(err, context.Canceled) {
		return opError(err)
	}
	return err
}

// swapsInOrder swaps two vectors that lie on the same rank.
func swapsInOrder(p *acp.Process) error {
	a, b := must(acp.NewVector[int](p, 0, 1)), must(acp.NewVector[int](p, 0, 1))
	err := errors.Join(
		perhapsGivenUp(b.WithContext(endsWhenAsked()).PushBack(1)),
		perhapsGivenUp(a.WithContext(endsWhenAsked()).Swap(b)),
		b.PushBack(2),
	)
	inA, errA := a.Slice()
	inB, errB := b.Slice()
	if err = errors.Join(err, errA, errB); err == nil && (!slices.Equal(inA, []int{1}) || !slices.Equal(inB, []int{2})) {
		err = fmt.Errorf("the vectors hold %d and %d", inA, inB)
	}
	return errors.Join(err, a.Destroy(), b.Destroy())
}

// mergesInOrder merges a list that is about to get one more element.
func mergesInOrder(p *acp.Process) error {
	a, b := must(acp.NewList[int](p, 1)), must(acp.NewList[int](p, 1))
	err := errors.Join(
		a.PushBack(1, 1),
		perhapsGivenUp(b.WithContext(endsWhenAsked()).PushBack(2, 1)),
		a.Merge(b, func(x, y int) int { return x - y }),
	)
	inA, errA := a.Slice()
	inB, errB := b.Slice()
	if err = errors.Join(err, errA, errB); err == nil && (!slices.Equal(inA, []int{1, 2}) || len(inB) > 0) {
		err = fmt.Errorf("the lists hold %d and %d", inA, inB)
	}
	return errors.Join(err, a.Destroy(), b.Destroy())
}

// TestGiveUpWorkspaceDestroy: an access whose call returned early does not touch memory that a workspace has
// freed.
func TestGiveUpWorkspaceDestroy(t *testing.T) {
	cfg := acp.Config{Mode: bridge.ModeTCP}
	run(t, 2, cfg, func(p *member) error {
		for range 50 {
			w, err := p.NewWorkspace(1 << 20)
			if err != nil {
				return err
			}
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 0xff
			}
			if p.Rank() == 0 {
				err = perhapsGivenUp(last(w.WithContext(endsWhenAsked()).WriteAt(b, 0)))
			}
			if err = errors.Join(err, w.Destroy()); err != nil {
				return err
			}
			v, err := acp.NewVector[byte](p.Process, 1<<19, p.Rank())
			if err == nil {
				err = p.Process.Sync()
			}
			if err != nil {
				return err
			}
			x, err := v.Slice()
			if err == nil && slices.ContainsFunc(x, func(b byte) bool { return b != 0 }) {
				err = errors.New("bytes of the workspace are in a vector")
			}
			if err = errors.Join(err, v.Destroy(), p.Process.Sync()); err != nil {
				return err
			}
		}
		return nil
	})
}
