//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/world"
)

// armciWorld returns the world, or ends the run: the functions that ask for it cannot fail.
func armciWorld(call *C.struct_goacp_call) *world.World {
	s := armci.session.Load()
	if s == nil {
		armciFatal(call, world.ErrState)
	}
	return s.World
}

// goacp_armci_self returns the number of this process, and -1 if there is no world.
//
//export goacp_armci_self
func goacp_armci_self() C.int {
	if s := armci.session.Load(); s != nil {
		return C.int(s.World.Self())
	}
	return -1
}

// goacp_armci_domains returns the number of domains.
//
//export goacp_armci_domains
func goacp_armci_domains(call *C.struct_goacp_call) C.int {
	defer stopPanic()
	return C.int(armciWorld(call).Domains())
}

// goacp_armci_domain returns the domain of a process, and -1 if there is no such process.
//
//export goacp_armci_domain
func goacp_armci_domain(call *C.struct_goacp_call, proc C.int) C.int {
	defer stopPanic()
	w := armciWorld(call)
	if w.Check(int(proc)) != nil {
		return -1
	}
	return C.int(w.Domain(int(proc)))
}

// domainProcs returns the processes of a domain, those of the caller's if it is negative.
func domainProcs(w *world.World, domain C.int) []int {
	if domain < 0 {
		domain = C.int(w.Domain(w.Self()))
	}
	if int(domain) >= w.Domains() {
		return nil
	}
	return w.DomainProcs(int(domain))
}

// goacp_armci_domain_size returns the number of processes of a domain, and -1 if there is none.
//
//export goacp_armci_domain_size
func goacp_armci_domain_size(call *C.struct_goacp_call, domain C.int) C.int {
	defer stopPanic()
	if procs := domainProcs(armciWorld(call), domain); procs != nil {
		return C.int(len(procs))
	}
	return -1
}

// goacp_armci_domain_proc returns a process of a domain, and -1 if there is none.
//
//export goacp_armci_domain_proc
func goacp_armci_domain_proc(call *C.struct_goacp_call, domain, index C.int) C.int {
	defer stopPanic()
	procs := domainProcs(armciWorld(call), domain)
	if index < 0 || int(index) >= len(procs) {
		return -1
	}
	return C.int(procs[index])
}

// goacp_armci_acp_ga is ARMCIX_Acp_ga.
//
//export goacp_armci_acp_ga
func goacp_armci_acp_ga(call *C.struct_goacp_call, at unsafe.Pointer, proc C.int) C.acp_ga_t {
	defer stopPanic()
	w := armciWorld(call)
	if w.Check(int(proc)) != nil {
		return C.ACP_GA_NULL
	}
	pos, err := w.Locate(int(proc), uintptr(at), 1)
	if err != nil {
		return C.ACP_GA_NULL
	}
	return C.acp_ga_t(w.GA(int(proc), pos))
}

// goacp_armci_acp_rank is ARMCIX_Acp_rank.
//
//export goacp_armci_acp_rank
func goacp_armci_acp_rank(call *C.struct_goacp_call, proc C.int) C.int {
	defer stopPanic()
	w := armciWorld(call)
	if w.Check(int(proc)) != nil {
		return -1
	}
	return C.int(w.Process().Ranks.Rank(w.Member(int(proc))))
}
