// Package lookup has tables in which C finds objects by their numbers, without a call into Go. C has their layout
// from lib/acp/layout.h, and looks objects up by lib/acp/lookup.h.
package lookup

import (
	"sync/atomic"
	"unsafe"
)

// Size is how many entries a table has.
//
//goacp:c GOACP_LOOKUP_
const Size = 256

// Table is a table, which lies outside the Go heap. The zero value is empty. One goroutine at a time calls its methods,
// while threads of C look objects up.
//
//goacp:c goacp_lookup
type Table struct {
	entries [Size]entry // an object is at its number modulo Size
}

// entry has the place of an object, or no number.
//
//goacp:c goacp_lookup_entry
type entry struct {
	number uint64
	object uintptr `c:"void *"` // no pointer, since objects in the Go heap are pinned
}

// Enter lets C find an object under its number, which is not 0. The object is outside the Go heap or pinned. Reports
// whether C finds it: it does not if another object has the entry.
func (t *Table) Enter(number uint64, object unsafe.Pointer) bool {
	e := &t.entries[number%Size]
	if e.number != 0 {
		return false
	}
	atomic.StoreUintptr(&e.object, uintptr(object))
	atomic.StoreUint64(&e.number, number)
	return true
}

// Remove takes out the object with a number, if C finds it. No thread uses it.
func (t *Table) Remove(number uint64) {
	if e := &t.entries[number%Size]; e.number == number {
		atomic.StoreUint64(&e.number, 0)
		atomic.StoreUintptr(&e.object, 0)
	}
}

// Find returns the object that C finds under a number, or 0.
func (t *Table) Find(number uint64) uintptr {
	if e := &t.entries[number%Size]; e.number == number {
		return e.object
	}
	return 0
}
