//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// goacp_create_ws is acp_create_ws, except that it returns NULL if it fails.
//
//export goacp_create_ws
func goacp_create_ws(size C.size_t) C.acp_wsd_t {
	return call(nil, func(p *acp.Process) (C.acp_wsd_t, error) {
		w, err := p.NewWorkspace(uint64(size))
		if err != nil {
			return nil, err
		}
		wsd := describe(p, w)
		lib.workspaces.set(C.uintptr_t(uintptr(unsafe.Pointer(wsd))), w)
		return wsd, nil
	})
}

// describe makes the struct by which C programs know a workspace. Its arrays follow it in
// the same block.
func describe(p *acp.Process, w *acp.Workspace) C.acp_wsd_t {
	n := uintptr(w.Pieces())
	keys := unsafe.Sizeof(C.acp_wsditem{})
	gas := keys + n*unsafe.Sizeof(C.acp_atkey_t(0))
	procs := gas + n*unsafe.Sizeof(C.acp_ga_t(0))
	sizes := procs + n*unsafe.Sizeof(C.int(0))
	end := sizes + n*unsafe.Sizeof(C.int(0))

	block := C.malloc(C.size_t(end)) // ends the process if there is no memory
	clear(unsafe.Slice((*byte)(block), end))
	wsd := C.acp_wsd_t(block)
	wsd.size_ws, wsd.size_default = C.size_t(w.Size()), C.size_t(w.PieceSize())
	wsd.size_remainder, wsd.ngas = C.size_t(w.Size()%w.PieceSize()), C.size_t(n)
	wsd.keys = (*C.acp_atkey_t)(unsafe.Add(block, keys)) // stay null
	wsd.gas = (*C.acp_ga_t)(unsafe.Add(block, gas))
	wsd.procs = (*C.int)(unsafe.Add(block, procs))
	wsd.sizes = (*C.int)(unsafe.Add(block, sizes))
	for i := range int(n) {
		ga, size := w.Piece(i)
		rank, _ := p.QueryRank(ga)
		unsafe.Slice(wsd.gas, n)[i] = C.acp_ga_t(ga)
		unsafe.Slice(wsd.procs, n)[i] = C.int(rank)
		unsafe.Slice(wsd.sizes, n)[i] = C.int(min(size, math.MaxInt32))
		if rank == p.Rank() && wsd.ga_data == 0 {
			wsd.ga_data = C.acp_ga_t(ga)
			wsd.data, _ = p.QueryAddress(ga)
		}
	}
	return wsd
}

// goacp_destroy_ws is acp_destroy_ws, which has no result: ACP_ERRNO tells of a wrong
// handle.
//
//export goacp_destroy_ws
func goacp_destroy_ws(wsd C.uintptr_t) {
	perform(func(*acp.Process) error {
		w, err := lib.workspaces.existing(wsd, acp.ErrDestroyed)
		if err == nil {
			err = w.Destroy()
		}
		if err == nil {
			lib.workspaces.drop(wsd)
			C.goacp_free_at(wsd)
		}
		return err
	})
}

//export goacp_setparams_ws
func goacp_setparams_ws(start, piece C.size_t) C.int {
	return call(1, func(p *acp.Process) (C.int, error) {
		return 0, p.SetWorkspaceParams(acp.Rank(min(start, math.MaxInt64)), uint64(piece))
	})
}

//export goacp_read_ws
func goacp_read_ws(wsd C.uintptr_t, ga C.acp_ga_t, size, offset C.size_t) C.int {
	return onWorkspace(wsd, func(w *acp.Workspace) error {
		return w.Read(acp.GA(ga), uint64(size), uint64(offset))
	})
}

//export goacp_write_ws
func goacp_write_ws(wsd C.uintptr_t, ga C.acp_ga_t, size, offset C.size_t) C.int {
	return onWorkspace(wsd, func(w *acp.Workspace) error {
		return w.Write(acp.GA(ga), uint64(size), uint64(offset))
	})
}

// onWorkspace calls f with the workspace behind wsd. The result is 0, or 1 if that fails.
func onWorkspace(wsd C.uintptr_t, f func(*acp.Workspace) error) C.int {
	return call(1, func(*acp.Process) (C.int, error) {
		w, err := lib.workspaces.existing(wsd, acp.ErrDestroyed)
		if err != nil {
			return 1, err
		}
		return 0, f(w)
	})
}
