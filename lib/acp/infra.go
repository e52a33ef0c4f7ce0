//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
// #include "exit.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/memory/segment"
)

// errInitialised is why a second acp_init fails.
var errInitialised = errors.New("initialised already")

// goacp_init is acp_init, except that a wrong argument is GOACP_USAGE. Everything
// runs on the calling thread, as MPI may demand.
//
//export goacp_init
func goacp_init(argc *C.int, argv ***C.char) C.int {
	defer stopPanic()
	debug.SetPanicOnFault(true)
	lib.mu.Lock()
	defer lib.mu.Unlock()
	if lib.process.Load() != nil {
		return initFailed(errInitialised)
	}
	r, err := takeArguments(argc, argv)
	if err != nil {
		initFailed(err)
		return C.GOACP_USAGE
	}
	if err := startProcess(r, nil); err != nil {
		return initFailed(err)
	}
	C.goacp_set_errno(0)
	return 0
}

// manyRanks is the number of ranks for which the start takes more memory than a collection: that makes 0.5 MiB of tables. With so
// many it is also a small part of the time of the start.
const manyRanks = 4096

// startProcess makes the process of the library. boot brings the ranks together; nil: as bridge.Start
// finds out. The caller holds the lock.
func startProcess(r request, boot bridge.Bootstrap) error {
	cfg, err := configure(r, getenv)
	if err != nil {
		return err
	}
	cfg.Bootstrap, cfg.OnLost = boot, runLost
	hidden.OnFailed(&cfg, gmaFailed)
	var pool C.struct_goacp_found_pool
	if C.goacp_find_pool(&pool) != 0 {
		hidden.SetPool(&cfg, segment.Pool{FD: int(pool.fd), Addr: pool.base, Size: uint64(pool.size)})
	}
	// Lines about failures name functions of C, which the process does not know.
	lib.onError, cfg.OnError = cfg.OnError, acp.ReturnErrors
	p, err := open(cfg)
	if err != nil {
		return err
	}
	lib.process.Store(p)
	lib.retired = nil
	setPlace(p)
	publish(p)
	C.goacp_watch_exit()
	if p.Procs() >= manyRanks {
		// The memory that the start took is not needed any more. A C program may never allocate in Go
		// again, so the collector would not run by itself.
		debug.FreeOSMemory()
	}
	return nil
}

// open opens the process. Its descriptors have higher numbers than those of most programs.
func open(cfg acp.Config) (*acp.Process, error) {
	C.goacp_hold_low_descriptors()
	defer C.goacp_release_low_descriptors()
	C.goacp_watch_descriptors()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		if C.goacp_has_default_action(C.int(s)) != 0 {
			cfg.LeaveSignals = append(cfg.LeaveSignals, s)
		}
	}
	p, err := acp.Open(context.Background(), cfg)
	if err != nil {
		C.goacp_unwatch_descriptors()
	}
	return p, err
}

// initFailed says why there is no process.
func initFailed(err error) C.int {
	fail(err)
	message := err.Error()
	if !strings.HasPrefix(message, "acp: ") {
		message = "acp: init: " + message
	}
	report(message)
	return -1
}

// configure turns what arguments and environment say into a configuration. An
// argument wins over the environment.
func configure(r request, getenv func(string) string) (acp.Config, error) {
	cfg, err := acp.ConfigFromEnv(getenv)
	if err != nil {
		return cfg, err
	}
	if r.starter != 0 {
		cfg.StarterSize = r.starter
	}
	if r.heap != 0 {
		cfg.HeapSize = r.heap
	}
	if cfg.HeapSize == 0 && C.goacp_armci_loaded() != 0 {
		cfg.HeapSize = acp.UnlimitedHeap // arrays of programs with ARMCI are in it
	}
	// bridge.Start, too, looks for the launcher where Go has its environment.
	if r.member != "" && os.Getenv(bridge.EnvRendezvous) == "" {
		return cfg, fmt.Errorf("argument %s is for a process of several, but no launcher of this library started this one: use acprun or macprun", r.member)
	}
	return cfg, nil
}

// getenv reads the environment as the program has made it. What Go has is a copy
// from the start of the process.
func getenv(name string) string {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	if v := C.getenv(s); v != nil {
		return C.GoString(v)
	}
	return ""
}

// takeArguments takes the arguments of the library out of the program's.
func takeArguments(argc *C.int, argv ***C.char) (request, error) {
	if argc == nil || argv == nil || *argv == nil || *argc <= 0 {
		return request{}, nil
	}
	vector := unsafe.Slice(*argv, int(*argc))
	args := make([]string, len(vector))
	for i, s := range vector {
		if s == nil {
			return request{}, errors.New("argument vector: NULL before its end")
		}
		args[i] = C.GoString(s)
	}
	keep, r, err := parseArguments(args)
	if err != nil || len(keep) == len(vector) {
		return r, err
	}
	for to, from := range keep {
		vector[to] = vector[from]
	}
	vector[len(keep)] = nil
	*argc = C.int(len(keep))
	return r, nil
}

//export goacp_finalize
func goacp_finalize() C.int {
	lib.mu.Lock()
	defer lib.mu.Unlock()
	return perform(func(p *acp.Process) error {
		if armci.session.Load() != nil {
			return errWorldExists
		}
		publish(nil)
		setPlace(nil)
		err := p.Finalize()
		C.goacp_unwatch_descriptors()
		lib.forget()
		lib.jobNames.free()
		lib.process.Store(nil)
		lib.retired = p
		return err
	})
}

// goacp_sync is acp_sync where C does not do it itself.
//
//export goacp_sync
func goacp_sync() C.int {
	return awaitDone((*acp.Process).Sync)
}

// goacp_finish_sync is the rest of acp_sync when the others take their time.
//
//export goacp_finish_sync
func goacp_finish_sync() C.int {
	return perform(hidden.FinishSync)
}

//export goacp_reset
func goacp_reset(rank C.int) C.int {
	lib.mu.Lock()
	defer lib.mu.Unlock()
	return perform(func(p *acp.Process) error {
		if armci.session.Load() != nil {
			return errWorldExists
		}
		publish(nil)
		defer publish(p)
		// Transfers with guests that are gone may have failed. Reset would return their errors although it has taken place.
		_ = p.Complete(acp.HandleAll)
		if err := p.Reset(acp.Rank(rank)); err != nil {
			return err
		}
		lib.forget()
		setPlace(p)
		return nil
	})
}
