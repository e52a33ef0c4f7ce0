//go:build !amd64 || race

package segment

import "unsafe"

// moveEntries moves as many entries as to has from the beginning of from, while readers ignore what they find. The two
// may overlap.
func moveEntries(to, from []entry) { move(to, from, set) }

// moveLeaves is moveEntries for leaves.
func moveLeaves(to, from []leaf) { move(to, from, setLeaf) }

// move calls set for each, in the order in which none is overwritten before it has moved.
func move[T any](to, from []T, set func(to *T, v T)) {
	if len(to) == 0 {
		return
	}
	if uintptr(unsafe.Pointer(&to[0])) < uintptr(unsafe.Pointer(&from[0])) {
		for i := range to {
			set(&to[i], from[i])
		}
		return
	}
	for i := len(to) - 1; i >= 0; i-- {
		set(&to[i], from[i])
	}
}
