package fabric

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Registered memory belongs to the program, which may have unmapped it without unregistering
// it. If an agent touched it then, its process would die because of a request of another rank.
// These functions let the kernel check the memory before. A check costs about 0.1 µs per page.

// probeStep is the size of the smallest page.
const probeStep = 4096

// Readable reports whether the n bytes at p can be read. Does not block.
func Readable(p unsafe.Pointer, n uint64) bool { return probe(p, n, readableWord) }

// Writable reports whether the n bytes at p can be read and written, without changing
// them. Does not block.
func Writable(p unsafe.Pointer, n uint64) bool { return probe(p, n, writableWord) }

// probe applies word to an aligned word in every page that the n bytes at p touch.
func probe(p unsafe.Pointer, n uint64, word func(addr uintptr) bool) bool {
	if n == 0 {
		return true
	}
	end := uintptr(p) + uintptr(n) - 1
	if end < uintptr(p) { // beyond the end of the address space
		return false
	}
	first, last := uintptr(p)&^7, end&^7
	for at := first; at < last; at = at&^(probeStep-1) + probeStep {
		if !word(at) {
			return false
		}
	}
	return word(last)
}

// readableWord lets the kernel read a signal mask of 8 bytes. The kernel does not use the mask,
// because the first argument is not a valid way to change the mask of the thread: the system
// call fails with EFAULT if the bytes cannot be read, and otherwise with EINVAL.
func readableWord(addr uintptr) bool {
	const howInvalid = ^uintptr(0)
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, howInvalid, addr, 0, 8, 0, 0)
	return errno != unix.EFAULT
}

// writableWord lets the kernel add 0 to the word by an atomic instruction, and wake none
// of the threads that wait for it.
func writableWord(addr uintptr) bool {
	const (
		wakeOpPrivate = 5 | 128
		addZero       = 1 << 28 // FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)
	)
	_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, addr, wakeOpPrivate, 0, 0, addr, addZero)
	return errno != unix.EFAULT
}
