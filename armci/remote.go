package armci

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Remote is a slice of shared memory of one process. It is a value, which may be sent to other
// processes of the world, also as an element of other memory. The zero Remote is empty.
type Remote[T any] struct {
	proc int
	addr uintptr // in the process
	n    int     // elements; negative: see Slice
}

// Proc returns the process whose memory it is. Pure.
func (r Remote[T]) Proc() int { return r.proc }

// Addr returns the address of the first element in the process whose memory it is. Programs in C use
// it. Pure.
func (r Remote[T]) Addr() uintptr { return r.addr }

// Len returns the number of elements. Pure.
func (r Remote[T]) Len() int { return max(r.n, 0) }

// Slice returns the elements from number from up to, but not including, number to. If r does not have
// them, transfers with the result fail with ErrBounds. Pure.
func (r Remote[T]) Slice(from, to int) Remote[T] {
	if from < 0 || from > to || to > r.n {
		return Remote[T]{r.proc, r.addr, -1}
	}
	return Remote[T]{r.proc, r.addr + uintptr(from*size[T]()), to - from}
}

// At returns the slice that begins at element i. Otherwise as Slice. Pure.
func (r Remote[T]) At(i int) Remote[T] { return r.Slice(i, max(i, r.n)) }

// first returns ErrBounds unless r has n elements.
func (r Remote[T]) first(n int) error {
	if r.n < 0 {
		return fmt.Errorf("%w: of process %d", ErrBounds, r.proc)
	}
	if n > r.n {
		return fmt.Errorf("%w: %d elements of %d", ErrBounds, n, r.n)
	}
	return nil
}

// RemoteAt returns n elements at an address of a process, for example an address from a program in C.
// Fails with ErrBadType, and with ErrAddress if they are not shared memory of the process, or not
// aligned. Local. Does not block. ARMCI API: none.
func RemoteAt[T any](w *World, proc int, addr uintptr, n int) (Remote[T], error) {
	r := Remote[T]{proc, addr, n}
	_, err := w.live()
	if err == nil {
		err = checkType[T]()
	}
	if err == nil {
		err = w.session.World.Check(proc)
	}
	if err == nil {
		err = r.locate(w)
	}
	if err != nil {
		return Remote[T]{}, w.failedAt("remote", proc, addr, err)
	}
	return r, nil
}

// locate returns an error unless the process has the memory.
func (r Remote[T]) locate(w *World) error {
	bytes, err := bytesOf[T](r.n)
	if err != nil {
		return err
	}
	if r.addr%uintptr(unsafe.Alignof(*new(T))) != 0 {
		return fmt.Errorf("%w: %#x is not aligned", world.ErrAddress, r.addr)
	}
	_, err = w.session.World.Locate(r.proc, r.addr, uint64(bytes))
	return err
}

// bytesOf returns the bytes of n elements.
func bytesOf[T any](n int) (int64, error) {
	bytes := int64(n) * int64(size[T]())
	if n < 0 || bytes/int64(size[T]()) != int64(n) {
		return -1, fmt.Errorf("%w: %d elements", world.ErrCount, n)
	}
	return bytes, nil
}

// View returns the memory itself if it is mapped in this process: its own memory, and often the
// memory of other processes of its host. The program must not use it after it has been freed, or
// after Close. Local. Does not block. ARMCI API: ARMCI_Same_node.
func View[T any](w *World, r Remote[T]) ([]T, bool) {
	if _, err := w.live(); err != nil || r.n <= 0 || w.session.World.Check(r.proc) != nil {
		return nil, false
	}
	if r.proc == w.Proc() {
		return r.own(), true
	}
	n := uint64(r.n * size[T]())
	pos, err := w.session.World.Locate(r.proc, r.addr, n)
	if err != nil {
		return nil, false
	}
	at := w.session.World.Here(r.proc, pos, n)
	if at == nil {
		return nil, false
	}
	return unsafe.Slice((*T)(at), r.n), true
}

// own returns memory of this process.
func (r Remote[T]) own() []T {
	if r.n <= 0 {
		return nil
	}
	return unsafe.Slice((*T)(world.At(r.addr)), r.n)
}

// Address returns the global address of the first element, for programs without ARMCI, and acp.NullGA
// if there is no element. Local. Does not block. ARMCI API: ARMCIX_Acp_ga.
func Address[T any](w *World, r Remote[T]) acp.GA {
	if _, err := w.live(); err != nil || r.n < 0 || w.session.World.Check(r.proc) != nil {
		return acp.NullGA
	}
	pos, err := w.session.World.Locate(r.proc, r.addr, 0)
	if err != nil {
		return acp.NullGA
	}
	return acp.GA(w.session.World.GA(r.proc, pos))
}
