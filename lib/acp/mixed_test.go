//go:build cgo

package libacp

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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
func TestSyncOfMixedRanks(t *testing.T) { mixed(t, "sync", "shm", []int{2, 3}, syncRounds) }

// TestMapOfMixedRanks runs processes of testdata/crowd.c, which change a map, together with a rank that
// is a program in Go and does the same.
func TestMapOfMixedRanks(t *testing.T) {
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) { mixed(t, "crowd", net, []int{2, 4}, crowdOfKeys) })
	}
}

// mixed runs a program in C as all ranks but 0, which is member.
func mixed(t *testing.T, name, net string, sizes []int, member func(p *acp.Process) error) {
	path := program(t, name)
	mode, err := bridge.ParseMode(net)
	if err != nil {
		t.Fatal(err)
	}
	for _, procs := range sizes {
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
					if e := start(ctx, t, append(own.Environ(), "ACP_NET="+net), path); e != (ended{}) {
						t.Errorf("rank %d: %v", rank, e)
					}
				})
			}
			boot, err := bridge.Dial(ctx, place, bridge.Identity{PID: os.Getpid(), Host: "test"})
			if err != nil {
				t.Fatal(err)
			}
			p, err := acp.Open(ctx, acp.Config{Bootstrap: boot, Mode: mode})
			if err == nil {
				err = member(p)
			}
			if err != nil {
				boot.Abort(bridge.Abort{Reason: err.Error()})
				t.Fatal(err)
			}
		})
	}
}

// syncRounds calls the barrier as testdata/sync.c does.
func syncRounds(p *acp.Process) error {
	const rounds = 1000
	entered := (*uint64)(unsafe.Pointer(unsafe.SliceData(p.Starter())))
	for round := uint64(1); round <= rounds; round++ {
		atomic.StoreUint64(entered, round)
		if err := p.Sync(); err != nil {
			return err
		}
		for rank := range p.Procs() {
			got, err := firstWord(p, acp.Rank(rank))
			if err != nil {
				return err
			}
			if got != round && got != round+1 {
				return fmt.Errorf("in round %d, rank %d has entered %d", round, rank, got)
			}
		}
	}
	return p.Finalize()
}

// firstWord copies the first word of the starter memory of a rank behind that of this one, and returns it.
func firstWord(p *acp.Process, rank acp.Rank) (uint64, error) {
	from, err := p.StarterGA(rank)
	if err != nil {
		return 0, err
	}
	own, err := p.StarterGA(p.Rank())
	if err != nil {
		return 0, err
	}
	h, err := p.Copy(own+8, from, 8, acp.HandleNull)
	if err == nil {
		err = p.Complete(h)
	}
	return binary.NativeEndian.Uint64(p.Starter()[8:]), err
}

// crowdOfKeys makes the map of testdata/crowd.c, does with keys of its own what the other ranks do, and
// counts the keys of all.
func crowdOfKeys(p *acp.Process) error {
	const slots = 3
	var ranks []acp.Rank
	for r := range p.Procs() {
		ranks = append(ranks, acp.Rank(r))
	}
	m, err := acp.NewMap[uint64, uint64](p, ranks, slots, p.Rank())
	if err != nil {
		return err
	}
	at := m.Address()
	for i, word := range []uint64{uint64(at.GA), at.Ranks, at.Slots} {
		binary.NativeEndian.PutUint64(p.Starter()[8*i:], word)
	}
	if err := p.Sync(); err != nil {
		return err
	}
	left, err := changeKeys(m)
	if err != nil {
		return err
	}
	if err := p.Sync(); err != nil {
		return err
	}
	for r := 1; r < p.Procs(); r++ {
		n, err := firstWord(p, acp.Rank(r))
		if err != nil {
			return err
		}
		left += int(n)
	}
	if n, err := m.Len(); err != nil || n != left {
		return fmt.Errorf("the map has %d keys, want %d: %v", n, left, err)
	}
	if err := p.Sync(); err != nil {
		return err
	}
	return p.Finalize()
}

// changeKeys inserts and removes keys at random, and returns how many there are at the end.
func changeKeys(m *acp.Map[uint64, uint64]) (left int, err error) {
	const keys, turns = 50, 1000
	var there [keys]bool
	for range turns {
		key, inserts, changed := rand.Uint64N(keys), rand.IntN(2) == 0, false
		if inserts {
			changed, err = m.Insert(key, key)
		} else {
			changed, err = m.Remove(key)
		}
		if err != nil || changed != (there[key] != inserts) {
			return 0, fmt.Errorf("key %d was there: %t, is inserted: %t, has changed: %t, %v", key, there[key], inserts, changed, err)
		}
		there[key] = inserts
	}
	for _, t := range there {
		if t {
			left++
		}
	}
	return left, nil
}
