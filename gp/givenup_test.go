package gp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
)

// TestDestroyAfterGivenUp: a put that was given up has come to its end when the array is destroyed,
// so the owner may use the memory of its elements for something else.
func TestDestroyAfterGivenUp(t *testing.T) {
	const size, turns = 16 << 20, 10
	run(t, bridge.ModeTCP, 2, func(p *member) error {
		for turn := range turns {
			a, err := gp.Create(p.Process, gp.Config{Dims: []int{2}})
			if err != nil {
				return err
			}
			e, err := gp.Alloc(p.Process, size)
			if err != nil {
				return err
			}
			if err := errors.Join(a.Assign(e, int(p.Rank())), p.sync()); err != nil {
				return err
			}
			if p.Rank() == 0 {
				if err := giveUp(a, size, time.Duration(turn+1)*2*time.Millisecond); err != nil {
					return err
				}
			}
			if err := errors.Join(a.Destroy(), e.Free()); err != nil {
				return err
			}
			other, err := gp.Alloc(p.Process, size)
			if err != nil {
				return err
			}
			clear(other.Bytes())
			if err := p.sync(); err != nil {
				return err
			}
			if i := bytes.IndexByte(other.Bytes(), 1); i >= 0 {
				return fmt.Errorf("byte %d is of the put", i)
			}
			if err := errors.Join(p.sync(), other.Free()); err != nil {
				return err
			}
		}
		return wholeHeap(p)
	})
}

// giveUp puts bytes of value 1 to place 1, and gives up after a while, perhaps while the put is in
// flight.
func giveUp(a *gp.Array, size int, after time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	err := a.WithContext(ctx).Put(gp.One(1), [][]byte{bytes.Repeat([]byte{1}, size)})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
