package node

import (
	"unsafe"

	"github.com/goacp/goacp/internal/system/dmi/address"
)

// FoundPage is a page whose bytes lie on this host. C accesses it by itself, under the lock of its record, as long as the record has the
// generation: lib/acp/dmi_near.h and dmi_near.c mirror read and change of near, and lib/acp/dmi_lock.c operations of object.
//
//goacp:c goacp_dmi_found
type FoundPage struct {
	begin, end int64 // addresses
	generation uint64
	record     *record
	bytes      unsafe.Pointer
	member     uint64 // the number of this process
}

// Find stores the page of an address if its bytes lie on this host, as far as this process knows, and reports whether it has. Does not block.
func (n *Node) Find(addr int64, to *FoundPage) bool {
	base, offset, ok := address.Split(addr)
	if !ok {
		return false
	}
	s := n.loaded(base)
	if s == nil || offset >= s.size {
		return false
	}
	e := s.known(offset / s.pageSize)
	if e == nil {
		return false
	}
	b := e.near.Load()
	if b == nil {
		return false
	}
	begin := base + e.page*s.pageSize
	*to = FoundPage{begin, begin + e.size(), b.generation, b.record, unsafe.Pointer(unsafe.SliceData(b.bytes)), uint64(n.ID())}
	return true
}
