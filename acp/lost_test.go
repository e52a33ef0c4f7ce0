package acp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestLostRunEndsWaiting ends the run while ranks wait in Sync.
func TestLostRunEndsWaiting(t *testing.T) {
	loseRun(t, func(_ context.Context, p *acp.Process) (func() error, error) { return p.Sync, nil })
}

// loseRun opens three ranks in each mode, which call prepare. Then rank 0 ends the run. The function that
// prepare has returned waits on the other ranks and has to fail there.
func loseRun(t *testing.T, prepare func(ctx context.Context, p *acp.Process) (wait func() error, err error)) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		w := newWorld(t, n)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		errs := make([]error, n)
		var prepared, ended sync.WaitGroup
		prepared.Add(n)
		for rank := range n {
			ended.Go(func() {
				lost := make(chan error, 1)
				var wait func() error
				p, err := w.open(ctx, rank, acp.Config{Mode: mode, OnLost: func(err error) { lost <- err }})
				if err == nil {
					wait, err = prepare(ctx, p)
				}
				prepared.Done()
				if err != nil {
					errs[rank] = err
					return
				}
				if rank == 0 {
					prepared.Wait()
					w.server.Abort("the test ends the run")
				} else {
					err = expect(acp.ErrPeerDead, wait())
				}
				errs[rank] = errors.Join(err, deadRun(ctx, p, lost))
			})
		}
		ended.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	})
}

// deadRun checks that the end of the run is reported to p, and that all later calls of p fail.
func deadRun(ctx context.Context, p *acp.Process, lost <-chan error) error {
	select {
	case err := <-lost:
		var abort *bridge.AbortError
		if !errors.As(err, &abort) || abort.Reason != "the test ends the run" {
			return fmt.Errorf("lost: %v", err)
		}
	case <-ctx.Done():
		return errors.New("OnLost was not called")
	}
	if err := p.Sync(); !errors.Is(err, acp.ErrPeerDead) {
		return fmt.Errorf("sync: %v", err)
	}
	if _, err := p.Copy(starterOf(0), starterOf(1), 8, 0); !errors.Is(err, acp.ErrPeerDead) {
		return fmt.Errorf("copy: %v", err)
	}
	if err := p.Finalize(); !errors.Is(err, acp.ErrPeerDead) {
		return fmt.Errorf("finalize: %v", err)
	}
	return nil
}

// TestLostConnectionEndsWaiting: a rank whose connection to another rank is lost does not wait for it for
// ever, although both count as alive in the launcher.
func TestLostConnectionEndsWaiting(t *testing.T) {
	w := newWorld(t, 2)
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	errs := make([]error, 2)
	over := make(chan struct{})
	var ended sync.WaitGroup
	for rank := range errs {
		ended.Go(func() {
			p, err := w.open(ctx, rank, acp.Config{Mode: bridge.ModeTCP, OnLost: func(error) {
				if rank == 1 {
					close(over)
				}
			}})
			if err != nil {
				errs[rank] = err
				return
			}
			if rank == 1 { // alive, but out of reach
				<-over
				return
			}
			p.LosePeer(1, errors.New("rank 1: the cable is cut"))
			if err := p.Sync(); !errors.Is(err, acp.ErrPeerDead) || !strings.Contains(err.Error(), "rank 1: the cable is cut") {
				errs[rank] = fmt.Errorf("sync: %v", err)
			}
			p.Abort("a test is over")
		})
	}
	ended.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
