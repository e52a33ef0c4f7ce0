package segment

import "unsafe"

// extent is a range of addresses of this process.
type extent struct{ addr, size uint64 }

// Extents is memory of this process, in ranges that do not overlap.
type Extents []extent

// Touch reports whether one of the n bytes at p belongs to e.
func (e Extents) Touch(p unsafe.Pointer, n uint64) bool {
	at := uint64(uintptr(p))
	for _, x := range e {
		if at < x.addr+x.size && x.addr < at+n {
			return true
		}
	}
	return false
}

// without returns e without the size bytes at addr.
func (e Extents) without(addr, size uint64) Extents {
	var rest Extents
	for _, x := range e {
		end := x.addr + x.size
		if before := min(addr, end); before > x.addr {
			rest = append(rest, extent{x.addr, before - x.addr})
		}
		if behind := max(addr+size, x.addr); behind < end {
			rest = append(rest, extent{behind, end - behind})
		}
	}
	return rest
}
