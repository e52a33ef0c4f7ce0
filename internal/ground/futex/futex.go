// Package futex lets threads of processes that share memory sleep until a word of the memory
// changes, and has a mutex in such memory.
package futex

import (
	"math"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	opWait = 0
	opWake = 1
)

// Wait sleeps while *word is value, until Wake is called for the word, and no longer than
// timeout. It may also return earlier; the caller checks the word again. The word may lie in
// memory shared with other processes.
func Wait(word *uint32, value uint32, timeout time.Duration) {
	ts := unix.NsecToTimespec(int64(timeout))
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWait, uintptr(value), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// Yield lets another thread run on this processor, if one is ready to run.
func Yield() {
	// Not a RawSyscall: the other thread may run for long.
	_, _, _ = unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

// Wake wakes all threads that wait for the word.
func Wake(word *uint32) { wake(word, math.MaxInt32) }

// wakeOne wakes one of the threads that wait for the word.
func wakeOne(word *uint32) { wake(word, 1) }

func wake(word *uint32, threads uintptr) {
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWake, threads, 0, 0, 0)
}
