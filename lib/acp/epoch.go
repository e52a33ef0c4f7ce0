//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

//export goacp_epoch
func goacp_epoch() C.int {
	return call(-1, func(p *acp.Process) (C.int, error) { return C.int(p.Epoch().Number), nil })
}

//export goacp_epoch_ranks
func goacp_epoch_ranks(ranks *C.int, room C.int) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		switch {
		case room < 0:
			return -1, fmt.Errorf("%w: room for %d ranks", acp.ErrBadSize, room)
		case room > 0 && ranks == nil:
			return -1, fmt.Errorf("%w: %d ranks at NULL", acp.ErrBadAddress, room)
		}
		all := p.Epoch().Ranks
		to := unsafe.Slice(ranks, room)
		for i := range min(len(all), len(to)) {
			to[i] = C.int(all[i])
		}
		return C.int(len(all)), nil
	})
}

//export goacp_adopt
func goacp_adopt(stay C.int) C.int {
	lib.mu.Lock()
	defer lib.mu.Unlock()
	return call(-1, func(p *acp.Process) (C.int, error) {
		epoch, err := p.Adopt(stay != 0)
		if err == nil && stay != 0 {
			setPlace(p)
		}
		return C.int(epoch.Number), err
	})
}

//export goacp_asked
func goacp_asked(rank C.int) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		asked, err := p.Asked(acp.Rank(rank))
		if asked {
			return 1, err
		}
		return 0, err
	})
}

//export goacp_ask_leave
func goacp_ask_leave(rank C.int) C.int {
	return perform(func(p *acp.Process) error { return p.AskLeave(acp.Rank(rank)) })
}

//export goacp_ask_join
func goacp_ask_join(count C.int) C.int {
	return perform(func(p *acp.Process) error { return p.AskJoin(int(count)) })
}
