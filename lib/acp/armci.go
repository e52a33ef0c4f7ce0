//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/acp"
	messages "github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/mutex"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// armciLibrary is the state behind the functions of armci.h.
type armciLibrary struct {
	mu      sync.Mutex // held by functions that begin and end the world
	session atomic.Pointer[core.Session]
	system  *core.System
	begun   int  // calls of ARMCI_Init* that ARMCI_Finalize has not ended
	repeats bool // the next ARMCI_Init is taken for the ARMCI_Init_mpi_comm before it
	ownsACP bool // ARMCI_Finalize ends the process of acp

	shmLimit   uint64
	limitGiven bool // by ARMCI_Set_shm_limit

	handles handles
	mutexes atomic.Pointer[mutex.Set] // of ARMCI_Create_mutexes
	groups  groupTable
	sets    numbered[C.uint64_t, *mutex.Set]
	modes   numbered[C.uint64_t, C.int] // of blocks of shared memory of this process, by their addresses
}

var armci armciLibrary

// The variables of the environment.
const (
	envArmciWorld   = "ARMCI_WORLD"
	envArmciErrors  = "ARMCI_ERRORS"
	envArmciLimit   = "ARMCI_SHM_LIMIT"
	envArmciDomain  = "ARMCI_DOMAIN"
	envArmciVerbose = "ARMCI_VERBOSE"
)

// errWorldExists is why acp_finalize and acp_reset fail.
var errWorldExists = errors.New("ARMCI has not been finalised")

// goacp_armci_started reports whether acp_init has succeeded.
//
//export goacp_armci_started
func goacp_armci_started() C.int { return truth(lib.process.Load() != nil) }

// goacp_armci_begin is ARMCI_Init when acp_init has succeeded. owns says that ARMCI_Init has called
// it. may_repeat says that programs call the function behind ARMCI_Init_mpi_comm for the same world.
//
//export goacp_armci_begin
func goacp_armci_begin(call *C.struct_goacp_call, owns, may_repeat C.int) C.int {
	defer stopPanic()
	armci.mu.Lock()
	defer armci.mu.Unlock()
	if armci.begun == 0 {
		return armciResult(call, armci.begin(owns != 0))
	}
	if may_repeat != 0 && armci.repeats {
		armci.repeats = false
	} else {
		armci.begun++
	}
	return 0
}

// begin makes the world of the job or, if ARMCI_WORLD says so, of the run. The caller holds the lock.
func (a *armciLibrary) begin(owns bool) error {
	p := lib.process.Load()
	if p == nil {
		return world.ErrState
	}
	run, err := a.readEnvironment()
	if err != nil {
		return err
	}
	members := core.Of(p).Members()
	if run {
		members = core.Of(p).Run()
	}
	return a.beginOf(p, members, owns)
}

// beginOf makes the world of some members of a run. owns says that the process is in the run for the
// sake of the world. The caller holds the lock.
func (a *armciLibrary) beginOf(p *acp.Process, members []int, owns bool) error {
	a.system = core.Of(p)
	a.system.Local().SetLimit(a.shmLimit)
	options := core.Options{ProcessDomains: getenv(envArmciDomain) == "process", Failed: armciStoreFailed}
	if err := a.system.Begin(members, options); err != nil {
		return err
	}
	a.begun, a.ownsACP = 1, owns
	a.groups.begin(messages.Of(p), a.system.Session())
	a.session.Store(a.system.Session())
	C.goacp_armci_publish(unsafe.Pointer(a.system.Session().Table))
	if v := getenv(envArmciVerbose); v != "" && v != "0" {
		describeWorld(a.system.Session())
	}
	return nil
}

// describeWorld writes lines about a new world to standard error, in its first process.
func describeWorld(s *core.Session) {
	if s.World.Self() != 0 {
		return
	}
	for _, line := range s.Describe() {
		report("armci: " + line)
	}
}

// readEnvironment takes over the variables. It reports whether the world is the whole run.
func (a *armciLibrary) readEnvironment() (run bool, err error) {
	on, which, domain := getenv(envArmciErrors), getenv(envArmciWorld), getenv(envArmciDomain)
	switch {
	case on != "" && on != "return" && on != "abort":
		return false, fmt.Errorf("%w: %s=%s: expected abort or return", world.ErrState, envArmciErrors, on)
	case domain != "" && domain != "host" && domain != "process":
		return false, fmt.Errorf("%w: %s=%s: expected host or process", world.ErrState, envArmciDomain, domain)
	case which != "" && which != "job" && which != "run":
		return false, fmt.Errorf("%w: %s=%s: expected job or run", world.ErrState, envArmciWorld, which)
	}
	if limit := getenv(envArmciLimit); limit != "" && !a.limitGiven {
		if a.shmLimit, err = strconv.ParseUint(limit, 10, 64); err != nil {
			return false, fmt.Errorf("%w: %s=%s: expected a number of bytes", world.ErrState, envArmciLimit, limit)
		}
	}
	return which == "run", nil
}

// goacp_armci_finalize is ARMCI_Finalize; or, if all is not 0, what MPI_Finalize calls to end the world
// however often it has been begun. The result is GOACP_ARMCI_ENDS_ACP if acp_finalize has to follow.
//
//export goacp_armci_finalize
func goacp_armci_finalize(call *C.struct_goacp_call, all C.int) C.int {
	defer stopPanic()
	armci.mu.Lock()
	defer armci.mu.Unlock()
	if armci.begun == 0 {
		return 0
	}
	if all != 0 {
		armci.begun = 1
		hidden.MPIFinalizing(lib.process.Load())
	}
	if armci.begun--; armci.begun > 0 {
		return 0
	}
	armci.repeats = false
	C.goacp_armci_publish(nil)
	err := armci.system.End()
	armci.session.Store(nil)
	armci.groups.end()
	armci.sets.clear()
	armci.modes.clear()
	armci.system = nil
	armci.mutexes.Store(nil)
	armci.handles.clear()
	if err != nil {
		return armciResult(call, err)
	}
	if armci.ownsACP {
		return C.GOACP_ARMCI_ENDS_ACP
	}
	return 0
}

// goacp_armci_error is ARMCI_Error. It does not return.
//
//export goacp_armci_error
func goacp_armci_error(msg *C.char, code C.int) {
	text := ""
	if msg != nil {
		text = C.GoString(msg)
	}
	line := fmt.Sprintf("armci: error of %s: %s (code %d)", armciSelf(), oneLine(text), code)
	C.fflush(nil)
	// There is no other place to report to if it fails.
	_, _ = os.Stdout.WriteString(line + "\n")
	armciEnd(line, code)
}

// armciSelf names this process in messages.
func armciSelf() string {
	if s := armci.session.Load(); s != nil {
		return fmt.Sprintf("process %d", s.World.Self())
	}
	if p := lib.process.Load(); p != nil {
		return fmt.Sprintf("rank %d", p.Rank())
	}
	return fmt.Sprintf("process %d of the system", os.Getpid())
}

// armciWith calls f with what this process has of the world, and returns its error as a number of
// ARMCI. Errors are reported as ARMCI_ERRORS asks for.
func armciWith(call *C.struct_goacp_call, f func(s *core.Session) error) C.int {
	defer stopArmciPanic(call)
	debug.SetPanicOnFault(true)
	s := armci.session.Load()
	if s == nil {
		return armciResult(call, world.ErrState)
	}
	if err := f(s); err != nil {
		return armciResult(call, err)
	}
	return 0
}
