//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"unsafe"

	"github.com/goacp/goacp/acp"
)

//export goacp_register_memory
func goacp_register_memory(addr unsafe.Pointer, size C.size_t, color C.int) C.acp_atkey_t {
	return C.acp_atkey_t(call(acp.NullKey, func(p *acp.Process) (acp.Key, error) {
		return p.RegisterAddress(addr, uint64(size), acp.Color(color))
	}))
}

//export goacp_unregister_memory
func goacp_unregister_memory(atkey C.acp_atkey_t) C.int {
	return perform(func(p *acp.Process) error { return p.Unregister(acp.Key(atkey)) })
}

//export goacp_query_ga
func goacp_query_ga(atkey C.acp_atkey_t, addr unsafe.Pointer) C.acp_ga_t {
	return C.acp_ga_t(call(acp.NullGA, func(p *acp.Process) (acp.GA, error) {
		return p.QueryGA(acp.Key(atkey), addr)
	}))
}

//export goacp_colors
func goacp_colors() C.int {
	return C.int(call(-1, func(p *acp.Process) (int, error) { return p.Colors(), nil }))
}

//export goacp_query_rank
func goacp_query_rank(ga C.acp_ga_t) C.int {
	return C.int(call(-1, func(p *acp.Process) (acp.Rank, error) { return p.QueryRank(acp.GA(ga)) }))
}

//export goacp_query_color
func goacp_query_color(ga C.acp_ga_t) C.int {
	return C.int(call(-1, func(p *acp.Process) (acp.Color, error) { return p.QueryColor(acp.GA(ga)) }))
}

//export goacp_query_address
func goacp_query_address(ga C.acp_ga_t) unsafe.Pointer {
	return call(nil, func(p *acp.Process) (unsafe.Pointer, error) { return p.QueryAddress(acp.GA(ga)) })
}

//export goacp_query_starter_ga
func goacp_query_starter_ga(rank C.int) C.acp_ga_t {
	return C.acp_ga_t(call(acp.NullGA, func(p *acp.Process) (acp.GA, error) {
		return p.StarterGA(acp.Rank(rank))
	}))
}
