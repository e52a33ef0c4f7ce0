//go:build cgo

package libacp

// #include "bind.h"
import "C"

import "github.com/goacp/goacp/acp"

// goElement returns bytes in global memory as Go has them.
func goElement(ga C.acp_ga_t, size C.size_t) acp.Element {
	return acp.Element{GA: acp.GA(ga), Size: uint64(size)}
}

// cElement returns bytes in global memory as C has them.
func cElement(e acp.Element) C.acp_element_t {
	return C.acp_element_t{ga: C.acp_ga_t(e.GA), size: C.size_t(e.Size)}
}
