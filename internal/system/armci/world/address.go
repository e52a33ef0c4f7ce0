package world

import "unsafe"

// At returns the pointer to an address that a program or another process has passed as a number.
// The memory there is not in the Go heap, or the caller keeps it alive.
func At(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }
