package fabric

import "unsafe"

// MoveWords copies n bytes as Move does. owner is their address on the owner's side, where each aligned
// word is loaded or stored as a whole, unless source and destination overlap. Move does not: it copies
// ends by words that overlap, and loads at the distances at which the destination is aligned. A process
// which uses the memory meanwhile could see halves.
func MoveWords(to, from unsafe.Pointer, n uint64, owner unsafe.Pointer) {
	if n == 8 && uintptr(owner)&7 == 0 {
		*(*uint64)(to) = *(*uint64)(from)
		return
	}
	skew, apart := uint64(uintptr(owner))&7, uint64(uintptr(to)-uintptr(from))&7
	if to == owner {
		apart = 0 // Move stores aligned words as a whole, whatever it loads
	}
	if skew|n&7|apart == 0 || Overlap(to, from, n) {
		Move(to, from, n)
		return
	}
	done := uint64(0)
	move := func(k uint64) { // not behind the end, where another object of Go may begin
		if k > 0 {
			Move(unsafe.Add(to, done), unsafe.Add(from, done), k)
			done += k
		}
	}
	for _, k := range []uint64{1, 2, 4} { // up to an aligned word
		if skew&k != 0 && n-done >= k {
			move(k)
			skew += k
		}
	}
	if apart == 0 {
		move((n - done) &^ 7)
	}
	for ; n-done >= 8; done += 8 {
		*(*uint64)(unsafe.Add(to, done)) = *(*uint64)(unsafe.Add(from, done))
	}
	for _, k := range []uint64{4, 2, 1} {
		if n-done >= k {
			move(k)
		}
	}
}

// Overlap reports whether n bytes at two addresses overlap.
func Overlap(a, b unsafe.Pointer, n uint64) bool {
	return uint64(uintptr(a)-uintptr(b)) < n || uint64(uintptr(b)-uintptr(a)) < n
}
