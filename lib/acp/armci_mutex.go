//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/mutex"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// goacp_armci_create_mutexes is ARMCI_Create_mutexes.
//
//export goacp_armci_create_mutexes
func goacp_armci_create_mutexes(call *C.struct_goacp_call, count C.int) C.int {
	return armciWith(call, func(x *core.Session) (err error) {
		if armci.mutexes.Load() != nil {
			return fmt.Errorf("%w: there are mutexes", world.ErrState)
		}
		set, err := x.Mutexes.Create(x.Everyone, int(count))
		if err == nil {
			armci.mutexes.Store(set)
			x.Table.SetMutexes(set.Table())
		}
		return err
	})
}

// theMutexes returns the set of ARMCI_Create_mutexes. Fails with ErrState if there is none.
func theMutexes() (*mutex.Set, error) {
	if set := armci.mutexes.Load(); set != nil {
		return set, nil
	}
	return nil, fmt.Errorf("%w: there are no mutexes", world.ErrState)
}

// withMutexes calls f with the set of ARMCI_Create_mutexes.
func withMutexes(call *C.struct_goacp_call, f func(*mutex.Set) error) C.int {
	return armciWith(call, func(*core.Session) error {
		set, err := theMutexes()
		if err != nil {
			return err
		}
		return f(set)
	})
}

// goacp_armci_destroy_mutexes is ARMCI_Destroy_mutexes.
//
//export goacp_armci_destroy_mutexes
func goacp_armci_destroy_mutexes(call *C.struct_goacp_call) C.int {
	return armciWith(call, func(x *core.Session) error {
		set, err := theMutexes()
		if err != nil {
			return err
		}
		x.Table.SetMutexes(nil)
		if err := set.Destroy(); err != nil {
			x.Table.SetMutexes(set.Table())
			return err
		}
		armci.mutexes.Store(nil)
		return nil
	})
}

// goacp_armci_lock is ARMCI_Lock, called by a thread.
//
//export goacp_armci_lock
func goacp_armci_lock(call *C.struct_goacp_call, index, proc C.int, thread C.uint64_t) C.int {
	return withMutexes(call, func(s *mutex.Set) error { return s.Lock(int(index), int(proc), uint64(thread)) })
}

// goacp_armci_unlock is ARMCI_Unlock, called by a thread.
//
//export goacp_armci_unlock
func goacp_armci_unlock(call *C.struct_goacp_call, index, proc C.int, thread C.uint64_t) C.int {
	return withMutexes(call, func(s *mutex.Set) error { return s.Unlock(int(index), int(proc), uint64(thread)) })
}

// goacp_armci_follow puts a node of this process behind another one, which C does not reach, and waits
// until it is granted the mutex.
//
//export goacp_armci_follow
func goacp_armci_follow(call *C.struct_goacp_call, node unsafe.Pointer, before C.uint64_t) C.int {
	return armciWith(call, func(x *core.Session) error { return x.Mutexes.Follow(node, uint64(before)) })
}

// goacp_armci_await_granted waits until a node of this process, which C has put behind another one, is
// granted the mutex.
//
//export goacp_armci_await_granted
func goacp_armci_await_granted(call *C.struct_goacp_call, node unsafe.Pointer) C.int {
	return armciWith(call, func(x *core.Session) error { return x.Mutexes.AwaitGranted(node) })
}

// goacp_armci_pass_on is the rest of an Unlock if there is a node behind that of the caller.
//
//export goacp_armci_pass_on
func goacp_armci_pass_on(call *C.struct_goacp_call, node unsafe.Pointer) C.int {
	return armciWith(call, func(x *core.Session) error { return x.Mutexes.PassOn(node) })
}

// goacp_armci_keep_node keeps a free node of this process.
//
//export goacp_armci_keep_node
func goacp_armci_keep_node(node unsafe.Pointer) {
	if s := armci.session.Load(); s != nil {
		s.Mutexes.Keep(node)
	}
}
