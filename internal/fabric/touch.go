package fabric

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// FaultError says that memory which the program has named is not there, or may not be written. It is
// an ErrGone for errors.Is.
type FaultError struct {
	Addr uintptr // in this process
}

// Error implements the error interface.
func (e *FaultError) Error() string { return fmt.Sprintf("no memory at address %#x", e.Addr) }

// Is reports whether target is ErrGone.
func (e *FaultError) Is(target error) bool { return target == ErrGone }

// lowest is the first address at which a process of Linux can have memory.
const lowest = 4096

// CheckAddress returns a *FaultError if no process has memory at an address, such as that of a member of a
// struct at NULL. It returns nil for NULL itself. Functions that take a pointer from a program call it first:
// the runtime of Go ends the process if it moves the stack of a goroutine that holds such a pointer. Does not block.
func CheckAddress(addr uintptr) error {
	if Nowhere(addr) {
		return &FaultError{Addr: addr}
	}
	return nil
}

// CheckRange is CheckAddress for size bytes from an address on. It also returns a *FaultError if there are not so many addresses behind that
// one: then no slice can have the bytes. Does not block.
func CheckRange(addr uintptr, size uint64) error {
	if behind := uint64(-addr); addr != 0 && size > behind {
		return &FaultError{Addr: addr}
	}
	return CheckAddress(addr)
}

// Nowhere reports whether CheckAddress returns an error. It allocates nothing, so the stack does not move meanwhile.
func Nowhere(addr uintptr) bool { return addr != 0 && addr < lowest }

// Touch calls f, which loads or stores at addresses that the program has named, and does nothing
// else. If there is no such memory it returns a *FaultError, and f may have done a part. A goroutine
// of the library that did without Touch would end the process with a trace. Does not block.
func Touch(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = fault(cause)
		}
	}()
	f()
	return nil
}

// fault returns the error for what a function of Touch has panicked with. It panics if that was no
// access to memory.
func fault(cause any) error {
	if at, ok := cause.(interface{ Addr() uintptr }); ok {
		return &FaultError{Addr: at.Addr()}
	}
	if isNilFault(cause) {
		return &FaultError{}
	}
	panic(cause)
}

// isNilFault reports whether a goroutine has panicked since it accessed the first page. The address is
// not known, and the value has no type of its own. To get it from a fault at the start would end
// programs in Fortran, whose run-time library handles faults by itself.
func isNilFault(cause any) bool {
	err, ok := cause.(runtime.Error)
	return ok && strings.Contains(err.Error(), "invalid memory address or nil pointer dereference")
}

// TouchCatches reports whether Touch can return: the runtime of Go handles faults. A program, or a library such as
// UCX or that of Fortran, may have a handler of its own in place of that. Does not block.
func TouchCatches() bool { return handledByRuntime(unix.SIGSEGV) && handledByRuntime(unix.SIGBUS) }

// handledByRuntime reports whether the handler of a signal is a function of the runtime of Go.
func handledByRuntime(s unix.Signal) bool {
	var action [8]uintptr // struct sigaction of the kernel, which begins with the handler
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	f := runtime.FuncForPC(action[0])
	return errno == 0 && f != nil && strings.HasPrefix(f.Name(), "runtime.")
}

// TryMove is Move between addresses of which the program has named one at least. If there is no
// memory it returns a *FaultError.
func TryMove(dst, src unsafe.Pointer, n uint64) error {
	return Touch(func() { Move(dst, src, n) })
}
