//go:build cgo

package main

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"fmt"
	"sync"

	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/mutex"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// setTable has sets of mutexes, by the numbers that their handles have. A number is never given out
// again.
type setTable struct {
	mu   sync.Mutex
	sets map[C.uint64_t]*mutex.Set
	last C.uint64_t
}

// enter gives a set a number.
func (t *setTable) enter(s *mutex.Set) C.uint64_t {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sets == nil {
		t.sets = make(map[C.uint64_t]*mutex.Set)
	}
	t.last++
	t.sets[t.last] = s
	return t.last
}

// find returns the set with a number. Fails with ErrState if there is none.
func (t *setTable) find(number C.uint64_t) (*mutex.Set, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.sets[number]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("%w: no such set of mutexes", world.ErrState)
}

// drop takes a set out.
func (t *setTable) drop(number C.uint64_t) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sets, number)
}

// clear takes all sets out.
func (t *setTable) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.sets)
}

// withSet calls f with the set that has a number.
func withSet(call *C.struct_goacp_call, number C.uint64_t, f func(s *mutex.Set) error) C.int {
	return armciWith(call, func(*core.Session) error {
		s, err := armci.sets.find(number)
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
			*made = armci.sets.enter(s)
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
