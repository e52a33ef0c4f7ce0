//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// rankList returns the count ranks at ranks.
func rankList(ranks *C.int, count C.int) ([]acp.Rank, error) {
	switch {
	case count < 0:
		return nil, fmt.Errorf("%w: %d ranks", acp.ErrBadSize, count)
	case count > 0 && ranks == nil:
		return nil, fmt.Errorf("%w: %d ranks at NULL", acp.ErrBadAddress, count)
	case count > acp.MaxProcs:
		return nil, fmt.Errorf("%w: a list of %d ranks", acp.ErrBadRank, count)
	}
	list := make([]acp.Rank, count)
	for i, r := range unsafe.Slice(ranks, count) {
		list[i] = acp.Rank(r)
	}
	return list, nil
}

//export goacp_sync_ranks
func goacp_sync_ranks(ranks *C.int, count C.int) C.int {
	return awaitDone(func(p *acp.Process) error {
		list, err := rankList(ranks, count)
		if err != nil {
			return err
		}
		return p.SyncRanks(list)
	})
}

//export goacp_sync_job
func goacp_sync_job(number C.int) C.int {
	return awaitDone(func(p *acp.Process) error {
		job, err := p.JobAt(int(number))
		if err != nil {
			return err
		}
		return p.SyncRanks(job.Ranks())
	})
}

//export goacp_broadcast
func goacp_broadcast(buf unsafe.Pointer, size C.size_t, root C.int, ranks *C.int, count C.int) C.int {
	return awaitDone(func(p *acp.Process) error {
		b, err := message(buf, uint64(size))
		if err != nil {
			return err
		}
		list, err := rankList(ranks, count)
		if err != nil {
			return err
		}
		return p.Broadcast(b, acp.Rank(root), list)
	})
}
