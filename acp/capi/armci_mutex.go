//go:build cgo

package main

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"fmt"

	"github.com/goacp/goacp/internal/armci/core"
	"github.com/goacp/goacp/internal/armci/mutex"
	"github.com/goacp/goacp/internal/armci/world"
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
		}
		return err
	})
}

// withMutexes calls f with the set of ARMCI_Create_mutexes.
func withMutexes(call *C.struct_goacp_call, f func(*mutex.Set) error) C.int {
	return armciWith(call, func(*core.Session) error {
		set := armci.mutexes.Load()
		if set == nil {
			return fmt.Errorf("%w: there are no mutexes", world.ErrState)
		}
		return f(set)
	})
}

// goacp_armci_destroy_mutexes is ARMCI_Destroy_mutexes.
//
//export goacp_armci_destroy_mutexes
func goacp_armci_destroy_mutexes(call *C.struct_goacp_call) C.int {
	return withMutexes(call, func(s *mutex.Set) error {
		err := s.Destroy()
		if err == nil {
			armci.mutexes.Store(nil)
		}
		return err
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
