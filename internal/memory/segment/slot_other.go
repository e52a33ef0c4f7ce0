//go:build !amd64

package segment

// goHeapEnd is the end of the addresses from which Go chooses one for its heap. If a process has no
// addresses beyond, its memory is where there is room.
const goHeapEnd = 1 << 47
