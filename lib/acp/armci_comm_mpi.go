//go:build cgo && mpi

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/world"
	"github.com/goacp/goacp/mpi"
)

// goacp_armci_begin_comm is ARMCI_Init_mpi_comm and ARMCI_Init_thread_comm when MPI is initialised. comm
// points to the communicator.
//
//export goacp_armci_begin_comm
func goacp_armci_begin_comm(call *C.struct_goacp_call, comm unsafe.Pointer) C.int {
	defer stopPanic()
	armci.mu.Lock()
	defer armci.mu.Unlock()
	if armci.begun > 0 {
		armci.begun++
	} else if err := armci.beginOver(mpi.FromC(comm)); err != nil {
		return armciResult(call, err)
	}
	armci.repeats = true
	return 0
}

// beginOver makes the world of the processes of a communicator. If they are in no run, they become
// one of their own, in which their launcher has no part. The caller holds the lock.
func (a *armciLibrary) beginOver(comm mpi.Comm) error {
	if _, err := a.readEnvironment(); err != nil {
		return err
	}
	boot, err := bridge.FromComm(comm)
	if err != nil {
		return fmt.Errorf("%w: %w", world.ErrProc, err)
	}
	lib.mu.Lock()
	defer lib.mu.Unlock()
	contacts, err := exchangeContacts(boot)
	if err != nil {
		return errors.Join(err, boot.Close())
	}
	if inRun := func(contact []byte) bool { return len(contact) > 0 }; slices.ContainsFunc(contacts, inRun) {
		return errors.Join(a.beginWithin(contacts), boot.Close())
	}
	if err := startProcess(request{}, boot); err != nil {
		return err
	}
	p := lib.process.Load()
	return a.beginOf(p, core.Of(p).Members(), true)
}

// exchangeContacts returns the contacts that all members have in the run that they are in already,
// and nothing for those that are in none. Collective.
func exchangeContacts(boot bridge.Bootstrap) ([][]byte, error) {
	var own []byte
	if p := lib.process.Load(); p != nil {
		own = core.Of(p).Contact()
	}
	return boot.Exchange(context.Background(), own)
}

// beginWithin makes the world of the processes with these contacts. All of them are in the run of
// this process, or it fails.
func (a *armciLibrary) beginWithin(contacts [][]byte) error {
	p := lib.process.Load()
	if p == nil {
		return fmt.Errorf("%w: only some processes of the communicator have called acp_init", world.ErrState)
	}
	members, err := core.Of(p).MembersOf(contacts)
	if err != nil {
		return err
	}
	return a.beginOf(p, members, false)
}
