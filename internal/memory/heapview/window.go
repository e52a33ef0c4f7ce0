package heapview

import "unsafe"

// Window is the heap as far as it was mapped when the Window was made. It is for loops over many
// blocks. The zero Window has no bytes.
type Window struct {
	start unsafe.Pointer // where the heap lies in this process
	first uint64         // its address
	size  uint64         // bytes that are mapped
}

// Window returns a Window of the heap.
func (v *View) Window() Window {
	m := v.mapped.Load()
	return Window{unsafe.Add(m.Base, v.from), v.rank + v.from, m.Size}
}

// At returns where the n bytes at ga lie, or nil if the Window does not have them. View.Bytes may
// have them then.
func (w Window) At(ga, n uint64) unsafe.Pointer {
	// An address of another rank is far beyond the heap, or wraps to there.
	off := ga - w.first
	if off > w.size || n > w.size-off {
		return nil
	}
	return unsafe.Add(w.start, off)
}
