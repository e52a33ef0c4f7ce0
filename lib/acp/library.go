//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/binding"
)

// library is the state behind the C functions.
type library struct {
	mu      sync.Mutex // held by acp_init, acp_finalize and acp_reset
	process atomic.Pointer[acp.Process]

	onError acp.OnError // what functions that fail do; set before process

	workspaces numbered[C.uintptr_t, *acp.Workspace] // by the addresses of their structs
	segbufs    numbered[C.uintptr_t, *acp.SegBuf]
	jobNames   jobNames
	gp         pointerArrays
	coupling   coupling

	// The process before. A thread may still have the address of its table, although no call may be
	// under way in acp_finalize: so the table must stay.
	retired *acp.Process
}

var lib library

// hidden is what acp shows to bindings alone.
var hidden = binding.Of[*acp.Process, acp.Config, *acp.Channel]()

// forget drops what does not outlive a process or its reset.
func (l *library) forget() {
	for wsd := range l.workspaces.clear() {
		C.goacp_free_at(wsd)
	}
	l.segbufs.clear()
	l.gp.forget()
	l.coupling.forget()
}

// publish lets C use the table of p, or none if p is nil.
func publish(p *acp.Process) {
	var table unsafe.Pointer
	if p != nil {
		table = unsafe.Pointer(hidden.Table(p))
	}
	C.goacp_publish(table)
}

// setPlace lets C know the rank of p and the number of ranks, or that there is none if p is
// nil.
func setPlace(p *acp.Process) {
	if p == nil {
		C.goacp_set_place(0, 0)
		return
	}
	C.goacp_set_place(C.uint64_t(p.Procs()), C.uint64_t(p.Rank()))
}

// call returns the result of f, or otherwise if f fails or the library is not initialised.
func call[T any](otherwise T, f func(*acp.Process) (T, error)) T {
	defer stopPanicOfCall()
	debug.SetPanicOnFault(true)
	p := lib.process.Load()
	if p == nil {
		failOutside()
		return otherwise
	}
	v, err := f(p)
	if err != nil {
		lib.failed(p, err)
		return otherwise
	}
	return v
}

// perform is call for functions that return 0 or -1.
func perform(f func(*acp.Process) error) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) { return 0, f(p) })
}
