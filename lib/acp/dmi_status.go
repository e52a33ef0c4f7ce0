//go:build cgo && !mpi

package libacp

// #include "bind.h"
// #include "dmi_bind.h"
import "C"

import (
	"errors"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/system/dmi/node"
)

// dmiStatuses has the functions that have been started and have not ended, or of which the program does not know that yet, by the
// addresses of their statuses. The memory of a status may have any contents before its first use. When the program is told that
// the function has ended, the memory gets the result, so that the program can ask again.
type dmiStatuses struct {
	mu  sync.Mutex
	all map[uintptr]*dmiStarted
}

// dmiStarted is a function that has been started.
type dmiStarted struct {
	*node.Future
	waits bool // it may wait for another thread
}

var (
	errStatusBusy    = errors.New("the function that was started with the status has not ended")
	errStatusUnknown = errors.New("no function has been started with the status")
)

// dmiStatusMagic is the first word of the memory of a status whose function has ended.
const dmiStatusMagic = 0x444d492073746174

// dmiCall is a call of a function that takes a status.
type dmiCall struct {
	waits bool                                 // do may wait for another thread
	check func(r *dmiRun) error                // the error of the arguments, as far as it is known without a message; or nil
	start func(r *dmiRun, f *node.Future) bool // starts do without a goroutine and reports whether it has; or nil
	do    func(r *dmiRun) error
}

// with executes the call, or starts it if there is a status. Nothing is started if the arguments are wrong.
func (c dmiCall) with(status unsafe.Pointer) C.int {
	if status == nil {
		return doDMI(c.do)
	}
	return c.begin(status)
}

// begin starts the call.
func (c dmiCall) begin(status unsafe.Pointer) C.int {
	return doDMI(func(r *dmiRun) error {
		if c.check != nil {
			if err := c.check(r); err != nil {
				return err
			}
		}
		future, err := dmi.statuses.add(r, status, c.waits)
		if err != nil || c.start != nil && c.start(r, future) {
			return err
		}
		go func() {
			defer stopDMIPanic()
			debug.SetPanicOnFault(true)
			future.End(c.do(r))
		}()
		return nil
	})
}

// add returns the future of a function that is about to be started with a status.
func (s *dmiStatuses) add(r *dmiRun, status unsafe.Pointer, waits bool) (*node.Future, error) {
	if err := needed("status", status); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.all[uintptr(status)]; before != nil && !before.HasEnded() {
		return nil, errStatusBusy
	}
	if s.all == nil {
		s.all = make(map[uintptr]*dmiStarted)
	}
	*(*C.uint64_t)(status) = 0
	future := r.node.NewFuture()
	s.all[uintptr(status)] = &dmiStarted{future, waits}
	return future, nil
}

// settle waits for the functions that end by themselves.
func (s *dmiStatuses) settle() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.all))
	s.mu.Unlock()
	for _, started := range all {
		if !started.waits {
			_ = started.Wait() // the program has not asked for the result
		}
	}
}

// find returns the function of a status, or nil if it has ended and the memory of the status has its result.
func (s *dmiStatuses) find(status unsafe.Pointer) (*dmiStarted, error) {
	if err := needed("status", status); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if started := s.all[uintptr(status)]; started != nil {
		return started, nil
	}
	if m := (*C.struct_goacp_dmi_status)(status); m.magic != dmiStatusMagic || uintptr(m.self) != uintptr(status) {
		return nil, errStatusUnknown
	}
	return nil, nil
}

// tell waits until a function has ended, gives the program its result, and returns its error.
func (s *dmiStatuses) tell(status unsafe.Pointer, started *dmiStarted, result *C.int32_t) error {
	m := (*C.struct_goacp_dmi_status)(status)
	var err error
	if started != nil {
		err = started.Wait()
		s.mu.Lock()
		if s.all[uintptr(status)] == started {
			delete(s.all, uintptr(status))
			m.magic, m.self, m.result = dmiStatusMagic, C.uint64_t(uintptr(status)), C.int64_t(truth(err == nil))
		}
		s.mu.Unlock()
	}
	if result != nil {
		*result = C.int32_t(m.result)
	}
	return err
}

// goacp_dmi_check is DMI_check.
//
//export goacp_dmi_check
func goacp_dmi_check(status unsafe.Pointer, result *C.int32_t) C.int {
	var finished C.int
	doDMI(func(*dmiRun) error {
		started, err := dmi.statuses.find(status)
		if err != nil {
			finished = noStatus(result)
			return err
		}
		if started != nil && !started.Poll() {
			return nil
		}
		finished = 1
		return dmi.statuses.tell(status, started, result)
	})
	return finished
}

// goacp_dmi_wait is DMI_wait.
//
//export goacp_dmi_wait
func goacp_dmi_wait(status unsafe.Pointer, result *C.int32_t) C.int {
	noStatus(result) // unless there is one
	return doDMI(func(*dmiRun) error {
		started, err := dmi.statuses.find(status)
		if err != nil {
			return err
		}
		return dmi.statuses.tell(status, started, result)
	})
}

// noStatus is the answer about a status without a function: it has ended, and failed.
func noStatus(result *C.int32_t) C.int {
	if result != nil {
		*result = 0
	}
	return 1
}
