//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"fmt"

	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/mutex"
	"github.com/goacp/goacp/internal/system/armci/world"
)

var errNoSet = fmt.Errorf("%w: no such set of mutexes", world.ErrState)

// withSet calls f with the set that has a number.
func withSet(call *C.struct_goacp_call, number C.uint64_t, f func(s *mutex.Set) error) C.int {
	return armciWith(call, func(*core.Session) error {
		s, err := armci.sets.existing(number, errNoSet)
		if err != nil {
			return err
		}
		return f(s)
	})
}

// goacp_armci_create_mutex_set is ARMCIX_Create_mutexes_hdl. The number of the set goes to made.
//
//export goacp_armci_create_mutex_set
func goacp_armci_create_mutex_set(call *C.struct_goacp_call, count C.int, number C.uint64_t, made *C.uint64_t) C.int {
	return withGroup(call, number, func(x *core.Session, g *group.Group) error {
		s, err := x.Mutexes.Create(g, int(count))
		if err == nil {
			*made = armci.sets.add(s)
		}
		return err
	})
}

// goacp_armci_destroy_mutex_set is ARMCIX_Destroy_mutexes_hdl.
//
//export goacp_armci_destroy_mutex_set
func goacp_armci_destroy_mutex_set(call *C.struct_goacp_call, number C.uint64_t) C.int {
	return withSet(call, number, func(s *mutex.Set) error {
		err := s.Destroy()
		if err == nil {
			armci.sets.drop(number)
		}
		return err
	})
}

// goacp_armci_lock_of_set is ARMCIX_Lock_hdl, called by a thread.
//
//export goacp_armci_lock_of_set
func goacp_armci_lock_of_set(call *C.struct_goacp_call, number C.uint64_t, index, proc C.int, thread C.uint64_t) C.int {
	return withSet(call, number, func(s *mutex.Set) error { return s.Lock(int(index), int(proc), uint64(thread)) })
}

// goacp_armci_trylock_of_set is ARMCIX_Trylock_hdl, called by a thread.
//
//export goacp_armci_trylock_of_set
func goacp_armci_trylock_of_set(call *C.struct_goacp_call, number C.uint64_t, index, proc C.int, thread C.uint64_t) C.int {
	taken := true
	result := withSet(call, number, func(s *mutex.Set) (err error) {
		taken, err = s.TryLock(int(index), int(proc), uint64(thread))
		return err
	})
	if result == 0 && !taken {
		return 1
	}
	return result
}

// goacp_armci_unlock_of_set is ARMCIX_Unlock_hdl, called by a thread.
//
//export goacp_armci_unlock_of_set
func goacp_armci_unlock_of_set(call *C.struct_goacp_call, number C.uint64_t, index, proc C.int, thread C.uint64_t) C.int {
	return withSet(call, number, func(s *mutex.Set) error { return s.Unlock(int(index), int(proc), uint64(thread)) })
}
