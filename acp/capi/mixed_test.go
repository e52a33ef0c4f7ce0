//go:build cgo

package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestSyncOfMixedRanks runs processes of testdata/sync.c together with a rank that is a program
// in Go: this test.
func TestSyncOfMixedRanks(t *testing.T) {
	path := program(t, "sync")
	for _, procs := range []int{2, 3} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			place := rendezvous(t, procs)
			ctx, cancel := context.WithTimeout(context.Background(), runTime)
			defer cancel()
			var all sync.WaitGroup
			defer all.Wait()
			for rank := 1; rank < procs; rank++ {
				own := place
				own.JobRank = rank
				all.Go(func() {
					if e := start(ctx, t, append(own.Environ(), "ACP_NET=shm"), path); e != (ended{}) {
						t.Errorf("rank %d: %v", rank, e)
					}
				})
			}
			boot, err := bridge.Dial(ctx, place, bridge.Identity{PID: os.Getpid(), Host: "test"})
			if err != nil {
				t.Fatal(err)
			}
			if err := syncRounds(ctx, boot); err != nil {
				boot.Abort(bridge.Abort{Reason: err.Error()})
				t.Fatal(err)
			}
		})
	}
}

// syncRounds calls the barrier as testdata/sync.c does.
func syncRounds(ctx context.Context, boot bridge.Bootstrap) error {
	const rounds = 1000
	p, err := acp.Open(ctx, acp.Config{Bootstrap: boot, Mode: bridge.ModeSHM})
	if err != nil {
		return err
	}
	own, err := p.StarterGA(p.Rank())
	if err != nil {
		return err
	}
	entered := (*uint64)(unsafe.Pointer(unsafe.SliceData(p.Starter())))
	for round := uint64(1); round <= rounds; round++ {
		atomic.StoreUint64(entered, round)
		if err := p.Sync(); err != nil {
			return err
		}
		for rank := range p.Procs() {
			ga, err := p.StarterGA(acp.Rank(rank))
			if err != nil {
				return err
			}
			h, err := p.Copy(own+8, ga, 8, acp.HandleNull)
			if err != nil {
				return err
			}
			if err := p.Complete(h); err != nil {
				return err
			}
			if got := binary.NativeEndian.Uint64(p.Starter()[8:]); got != round && got != round+1 {
				return fmt.Errorf("in round %d, rank %d has entered %d", round, rank, got)
			}
		}
	}
	return p.Finalize()
}
