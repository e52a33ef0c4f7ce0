package acp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestPublishByName: each rank publishes an address by a name, and the next one writes there. No barrier
// is needed before.
func TestPublishByName(t *testing.T) {
	forEachMode(t, []int{1, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for round := range 2 {
				ga := must(p.Malloc(8, p.Rank()))
				name := fmt.Sprintf("cell of %d", p.Rank())
				version, err := p.PutValue(name, binary.LittleEndian.AppendUint64(nil, uint64(ga)))
				if err != nil || version != 1 {
					return fmt.Errorf("version %d: %w", version, err)
				}
				value, version, err := p.WaitValue(fmt.Sprintf("cell of %d", (int(p.Rank())+1)%n), 1)
				if err != nil || version != 1 || len(value) != 8 {
					return fmt.Errorf("version %d, %d bytes: %w", version, len(value), err)
				}
				to := acp.GA(binary.LittleEndian.Uint64(value))
				if err := p.Complete(must(p.Copy(to, ga, 8, acp.HandleNull))); err != nil {
					return err
				}
				if round == 0 {
					// Reset removes the values: in the next round versions start from 1 again.
					if err := p.Reset(acp.Rank(n-1) - p.Rank()); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// TestSteering: one rank issues commands as versions of a value, and the other ranks see each command or a
// later one.
func TestSteering(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		const commands = 100
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 0 {
				for i := range commands {
					if version, err := p.PutValue("command", []byte{byte(i + 1)}); err != nil || version != uint64(i+1) {
						return fmt.Errorf("command %d has version %d: %w", i, version, err)
					}
				}
				return nil
			}
			for seen := uint64(0); seen < commands; {
				value, version, err := p.WaitValue("command", seen+1)
				if err != nil || version <= seen || value[0] != byte(version) {
					return fmt.Errorf("%v, version %d behind %d: %w", value, version, seen, err)
				}
				seen = version
			}
			return nil
		})
	})
}

// TestValueGivenUp: contexts end calls, and a put that has begun takes effect.
func TestValueGivenUp(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			var err error
			for i := range 20 {
				name := fmt.Sprintf("name %d of %d", i, p.Rank())
				_, _, never := p.WithContext(cancelled()).WaitValue(name, 1)
				_, _, gaveUp := p.WithContext(endsWhenAsked()).WaitValue(name, 1)
				err = errors.Join(err, expect(context.Canceled, never), expect(context.Canceled, gaveUp),
					expect(context.Canceled, last(p.WithContext(cancelled()).PutValue(name, nil))))
				put := last(p.WithContext(endsWhenAsked()).PutValue(name, []byte(name)))
				value, version, wait := p.WaitValue(name, 1)
				if put != nil && !errors.Is(put, context.Canceled) || wait != nil || version != 1 || string(value) != name {
					err = errors.Join(err, put, fmt.Errorf("%q, version %d: %w", value, version, wait))
				}
			}
			return errors.Join(err, p.Reset(p.Rank()))
		})
	})
}

// TestValueLost: the end of the run ends waiting for values.
func TestValueLost(t *testing.T) {
	w := newWorld(t, 3)
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	waiting := make(chan struct{}, 2)
	errs := make([]error, 3)
	var ranks sync.WaitGroup
	for rank := range 3 {
		ranks.Go(func() {
			p, err := w.open(ctx, rank, acp.Config{Mode: bridge.ModeTCP})
			if err != nil {
				errs[rank] = err
				return
			}
			if rank == 0 {
				<-waiting
				<-waiting
				p.Abort("a test")
				_ = p.Finalize() // fails: the run is over
				return
			}
			waiting <- struct{}{}
			_, _, err = p.WaitValue("never", 1)
			_, _, after := p.GetValue("never")
			errs[rank] = errors.Join(expect(acp.ErrPeerDead, err), expect(acp.ErrPeerDead, after), expect(acp.ErrPeerDead, p.Finalize()))
		})
	}
	ranks.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}
