//go:build cgo && !mpi

package libacp

// #include "bind.h"
// #include "dmi_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/session"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// dmiLibrary is the state behind the functions of dmi_api.h.
type dmiLibrary struct {
	run      atomic.Pointer[dmiRun] // nil before DMI_main and after it
	statuses dmiStatuses
	finish   sync.Once

	groups   dmiHandles[*dmiGroup]
	barriers dmiHandles[*object.LocalBarrier]
	sets     dmiHandles[*object.LocalRWSet]
}

// dmiRun is the process while DMI can be used.
type dmiRun struct {
	p       *acp.Process
	node    *node.Node
	threads *thread.System
	objects *object.Objects
}

var dmi dmiLibrary

// Errors of libdmi alone.
var (
	errNoDMIMain = errors.New("the program has no DMI_main: in C++ it is extern \"C\"")
	errOwnMain   = errors.New("the program has a main of its own: programs with DMI define DMI_main in its place")
)

// goacp_dmi_begin makes the process of a program with DMI. The result is GOACP_DMI_MAIN if it runs DMI_main. If it is
// GOACP_DMI_FAILED, there has been a line.
//
//export goacp_dmi_begin
func goacp_dmi_begin(program *C.struct_goacp_dmi_program) C.int {
	defer stopPanic()
	if program.main == nil {
		report("dmi: " + errNoDMIMain.Error())
		return C.GOACP_DMI_FAILED
	}
	C.goacp_dmi_set_program(program)
	pool, err := startDMIProcess()
	if err != nil {
		report("dmi: " + strings.TrimPrefix(err.Error(), "acp: "))
		return C.GOACP_DMI_FAILED
	}
	p := lib.process.Load()
	made := session.New(p)
	r := &dmiRun{p, made.Node, made.Threads, made.Objects}
	if program.function != nil {
		r.node.SetFunction(callFunction)
	}
	dmi.run.Store(r)
	host, _ := os.Hostname() // a process without a name has none
	if err := r.threads.Begin(thread.Config{
		Run: session.Run[acp.Epoch, acp.Rank](p), Memory: r.node, Start: startThread, Units: program.unit != nil, Threads: program.thread != nil,
		Cores: int(C.sysconf(C._SC_NPROCESSORS_ONLN)), Pool: int64(pool), Host: host,
	}); err != nil {
		end("dmi: " + err.Error())
	}
	if r.threads.ID() != 0 {
		return C.GOACP_DMI_SERVES
	}
	C.goacp_dmi_be_main()
	return C.GOACP_DMI_MAIN
}

// startDMIProcess makes the process of the library, and returns the bytes of its memory pool.
func startDMIProcess() (pool uint64, err error) {
	lib.mu.Lock()
	defer lib.mu.Unlock()
	if lib.process.Load() != nil {
		return 0, errInitialised
	}
	if pool, err = session.Pool(getenv); err != nil {
		return 0, err
	}
	return pool, startProcess(request{heap: pool}, nil)
}

// startThread makes a thread of the program.
func startThread(t *thread.Thread) error {
	number := C.struct_goacp_dmi_thread{
		number: C.int(t.ID().Thread), rank: C.int(t.Rank), size: C.int(t.Size), addr: C.int64_t(t.Addr), stack: C.int64_t(t.Stack),
	}
	if t.Kind() == thread.Unit {
		number.is_unit = 1
	}
	if result := C.goacp_dmi_start(number); result != 0 {
		return syscall.Errno(result)
	}
	return nil
}

// callFunction calls DMI_function of the program.
func callFunction(page, in, out []byte, tag int8) {
	C.goacp_dmi_call_function(unsafe.Pointer(unsafe.SliceData(page)), C.int64_t(len(page)),
		unsafe.Pointer(unsafe.SliceData(in)), C.int64_t(len(in)), unsafe.Pointer(unsafe.SliceData(out)), C.int64_t(len(out)), C.int8_t(tag))
}

//export goacp_dmi_thread_begin
func goacp_dmi_thread_begin(number C.int) C.int {
	defer stopPanic()
	r := dmi.run.Load()
	if r == nil {
		return 0
	}
	t := r.threads.Thread(int32(number))
	return truth(t != nil && t.Begin())
}

//export goacp_dmi_thread_end
func goacp_dmi_thread_end(number C.int, result C.int64_t) {
	defer stopPanic()
	if r := dmi.run.Load(); r != nil {
		if t := r.threads.Thread(int32(number)); t != nil {
			t.End(int64(result))
		}
	}
}

// goacp_dmi_finish ends the run when DMI_main has returned, or has called exit(0). It returns the exit status, negative if threads
// of the program still run.
//
//export goacp_dmi_finish
func goacp_dmi_finish() (status C.int) {
	defer stopPanic()
	dmi.finish.Do(func() {
		r := dmi.run.Load()
		running, err := r.threads.End()
		if err != nil {
			dmiLost(err)
			end("dmi: " + err.Error())
		}
		if running > 0 {
			report(fmt.Sprintf("dmi: DMI_main has ended while %d threads run, which end", running))
		}
		status = r.close()
	})
	return status
}

// goacp_dmi_serve waits in a process other than 0 until the run has ended. It returns what goacp_dmi_finish does.
//
//export goacp_dmi_serve
func goacp_dmi_serve() C.int {
	defer stopPanic()
	r := dmi.run.Load()
	if err := r.threads.Serve(); err != nil {
		dmiLost(err)
		end("dmi: " + err.Error())
	}
	return r.close()
}

// close ends the use of the process.
func (r *dmiRun) close() C.int {
	running := r.threads.Running()
	C.goacp_dmi_close()
	dmi.statuses.settle()
	if goacp_finalize() != 0 {
		end("dmi: finalize: " + C.GoString(C.acp_error_message()))
	}
	dmi.run.Store(nil)
	if running > 0 {
		return -1
	}
	return 0
}

// goacp_dmi_fail ends the run with a line and status 1.
//
//export goacp_dmi_fail
func goacp_dmi_fail(line *C.char) {
	defer stopPanic()
	C.fflush(nil)
	text := C.GoString(line)
	endWith(text, text, 1)
}

// goacp_dmi_id returns the id of this process, or -1.
//
//export goacp_dmi_id
func goacp_dmi_id() C.int {
	if r := dmi.run.Load(); r != nil {
		return C.int(r.threads.ID())
	}
	return -1
}

// doDMI returns 1, or 0 if f fails.
func doDMI(f func(r *dmiRun) error) C.int {
	defer stopDMIPanic()
	debug.SetPanicOnFault(true)
	r := dmi.run.Load()
	if r == nil {
		return dmiResult(errOwnMain)
	}
	return dmiResult(f(r))
}

// dmiResult returns 1, or 0 if there is an error, which it records.
func dmiResult(err error) C.int {
	if err == nil {
		return 1
	}
	dmiLost(err)
	fail(err)
	if lib.onError != acp.ReturnErrors {
		line := dmiFailure(err.Error())
		if lib.onError == acp.AbortOnError {
			end(line)
		}
		report(line)
	}
	return 0
}

// dmiLost waits for the end of the process if the run is over. The launcher says why it is.
func dmiLost(err error) {
	if errors.Is(err, acp.ErrPeerDead) {
		time.Sleep(runEndLimit)
		end(dmiFailure(err.Error()))
	}
}

// dmiFailure returns the line about a failure of the function that the program has called.
func dmiFailure(why string) string {
	name, _ := whereCalled()
	if name == "" {
		name = "a function that was started"
	}
	return fmt.Sprintf("dmi: %s by process %d: %s", name, int(goacp_dmi_id()), why)
}

// stopDMIPanic is stopPanic for functions of dmi_api.h. The line names the function.
func stopDMIPanic() {
	if cause := recover(); cause != nil {
		end(dmiFailure(panicText(cause, panicPlace())))
	}
}
