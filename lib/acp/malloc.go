//go:build cgo

package libacp

// #include "bind.h"
import "C"

import "github.com/goacp/goacp/acp"

//export goacp_malloc
func goacp_malloc(size C.size_t, rank C.int) C.acp_ga_t {
	return C.acp_ga_t(call(acp.NullGA, func(p *acp.Process) (acp.GA, error) {
		return p.Malloc(uint64(size), acp.Rank(rank))
	}))
}

// goacp_free is acp_free, which has no result: ACP_ERRNO tells of a wrong address.
//
//export goacp_free
func goacp_free(ga C.acp_ga_t) {
	perform(func(p *acp.Process) error { return p.Free(acp.GA(ga)) })
}
