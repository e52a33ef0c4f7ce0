package acp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
)

// TestWorkspaceAfterLeaving: the rank for the first piece has left, behind all others. Workspaces need another one.
func TestWorkspaceAfterLeaving(t *testing.T) {
	eachElastic(t, 6, 6, func(_ *elasticRun, p *acp.Process) error {
		if err := p.SetWorkspaceParams(5, 1000); err != nil {
			return err
		}
		stay := p.Rank() < 3
		if _, err := p.Adopt(stay); err != nil || !stay {
			return err
		}
		if _, err := p.NewWorkspace(2500); !errors.Is(err, acp.ErrBadRank) {
			return fmt.Errorf("a workspace whose first piece is on a rank that has left: %v", err)
		}
		if err := p.SetWorkspaceParams(2, 1000); err != nil {
			return err
		}
		w, err := p.NewWorkspace(2500)
		if err != nil {
			return err
		}
		return w.Destroy()
	})
}

// TestChannelsOfRanksThatLeave: rank 0 frees its ends of channels whose senders have left, and has the memory of the buffers again. A
// channel to a rank that has left ends its requests.
func TestChannelsOfRanksThatLeave(t *testing.T) {
	eachElastic(t, 1, 9, (*elasticRun).outliveChannels)
}

// outliveChannels is rank 0 of TestChannelsOfRanksThatLeave.
func (r *elasticRun) outliveChannels(p *acp.Process) error {
	sender := func(p *acp.Process) error {
		_, err1 := p.NewChannel(p.Rank(), 0, acp.ChannelOptions{})
		_, err2 := p.Adopt(false)
		return errors.Join(err1, err2)
	}
	const most = 8
	const size = elasticHeap / (most / 2)
	for n := range most {
		if err := r.grow(1, sender); err != nil {
			return err
		}
		peer := acp.Rank(n + 1)
		if err := awaitState(p, peer, acp.StateWaiting); err != nil {
			return err
		}
		if _, err := p.Adopt(true); err != nil {
			return err
		}
		c, err := p.NewChannel(peer, 0, acp.ChannelOptions{BufferSize: size})
		if err != nil {
			return fmt.Errorf("channel %d: %w", n, err)
		}
		if _, err := p.Adopt(true); err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// TestMapsOfRanksThatLeave: rank 0 destroys a map that has tables on ranks that have left, and the memory of the other tables is free
// again. A map all of whose tables are gone is refused.
func TestMapsOfRanksThatLeave(t *testing.T) {
	eachElastic(t, 3, 3, func(_ *elasticRun, p *acp.Process) error {
		const slot = 32                            // bytes of a slot, at least
		const size = elasticHeap/2 + elasticHeap/8 // one block of this size has room in a heap
		var most, gone acp.ByteMap
		if p.Rank() == 0 {
			var err error
			if most, err = p.NewByteMap([]acp.Rank{2, 0, 1}, size/slot, 1); err != nil {
				return err
			}
			if gone, err = p.NewByteMap([]acp.Rank{2}, 1, 0); err != nil {
				return err
			}
			if _, err := p.Malloc(size, 1); !errors.Is(err, acp.ErrHeapFull) {
				return fmt.Errorf("a block beside the map: %v", err)
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		stay := p.Rank() < 2
		if _, err := p.Adopt(stay); err != nil || p.Rank() != 0 {
			return err
		}
		if err := most.Destroy(); err != nil {
			return err
		}
		if err := most.Destroy(); err == nil {
			return errors.New("a map is destroyed twice")
		}
		if err := gone.Destroy(); err == nil {
			return errors.New("a map without tables is destroyed")
		}
		for rank := range acp.Rank(2) {
			if _, err := p.Malloc(size, rank); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestStructuresOfLeaver: operations on structures of a rank that has left name the rank, also if the process has used them before. Those on
// other tables of a map succeed.
func TestStructuresOfLeaver(t *testing.T) {
	eachElastic(t, 3, 3, func(_ *elasticRun, p *acp.Process) error {
		if p.Rank() != 0 {
			if err := p.Sync(); err != nil {
				return err
			}
			_, err := p.Adopt(p.Rank() != 2)
			return err
		}
		m, err := acp.NewMap[int64, int64](p, []acp.Rank{1, 2}, 16, 0)
		if err != nil {
			return err
		}
		v, err := acp.NewVector[int64](p, 1, 2)
		if err != nil {
			return err
		}
		l, err := acp.NewList[int64](p, 2)
		if err != nil {
			return err
		}
		const keys = 40
		for k := range int64(keys) {
			if _, err := m.Insert(k, k); err != nil {
				return err
			}
		}
		if err := errors.Join(v.PushBack(7), l.PushBack(7, 2), p.Sync()); err != nil {
			return err
		}
		if _, err := p.Adopt(true); err != nil {
			return err
		}
		gone := 0
		for k := range int64(keys) {
			value, there, err := m.Load(k)
			if errors.Is(err, acp.ErrRankGone) && strings.Contains(err.Error(), "rank 2") {
				gone++
			} else if err != nil || !there || value != k {
				return fmt.Errorf("key %d: %d, %v, %v", k, value, there, err)
			}
		}
		if gone == 0 || gone == keys {
			return fmt.Errorf("%d of %d keys were on the rank that has left", gone, keys)
		}
		for what, err := range map[string]error{"vector": v.PushBack(8), "list": l.PushBack(8, 2)} {
			if !errors.Is(err, acp.ErrRankGone) || !strings.Contains(err.Error(), "rank 2") {
				return fmt.Errorf("a %s on the rank that has left: %v", what, err)
			}
		}
		return nil
	})
}
