package segment

import "unsafe"

// readChunk is how much Readable of a peer reads at a time.
const readChunk = 1 << 20

// Readable reports whether the n bytes at an address in the peer's process can be read. It
// reads all of them.
func (v *View) Readable(addr, n uint64) bool {
	scratch := make([]byte, min(n, readChunk))
	for done := uint64(0); done < n; {
		chunk := min(n-done, uint64(len(scratch)))
		if v.Load(unsafe.Pointer(unsafe.SliceData(scratch)), addr+done, chunk) != nil {
			return false
		}
		done += chunk
	}
	return true
}
