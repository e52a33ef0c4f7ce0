//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"errors"

	"github.com/goacp/goacp/acp"
)

// goacp_copy is acp_copy if C does not do it itself.
//
//export goacp_copy
func goacp_copy(dst, src C.acp_ga_t, size C.size_t, order C.acp_handle_t) C.acp_handle_t {
	return issue(func(p *acp.Process) (acp.Handle, error) {
		return p.Copy(acp.GA(dst), acp.GA(src), uint64(size), acp.Handle(order))
	})
}

// issue calls f, which begins a GMA.
func issue(f func(*acp.Process) (acp.Handle, error)) C.acp_handle_t {
	return C.acp_handle_t(call(acp.HandleNull, f))
}

// The atomics with one operand, by their numbers in C.
var (
	atomics4 = [...]func(p *acp.Process, dst, src acp.GA, value uint32, order acp.Handle) (acp.Handle, error){
		C.GOACP_OP_ADD:  (*acp.Process).Add4,
		C.GOACP_OP_AND:  (*acp.Process).And4,
		C.GOACP_OP_OR:   (*acp.Process).Or4,
		C.GOACP_OP_XOR:  (*acp.Process).Xor4,
		C.GOACP_OP_SWAP: (*acp.Process).Swap4,
	}
	atomics8 = [...]func(p *acp.Process, dst, src acp.GA, value uint64, order acp.Handle) (acp.Handle, error){
		C.GOACP_OP_ADD:  (*acp.Process).Add8,
		C.GOACP_OP_AND:  (*acp.Process).And8,
		C.GOACP_OP_OR:   (*acp.Process).Or8,
		C.GOACP_OP_XOR:  (*acp.Process).Xor8,
		C.GOACP_OP_SWAP: (*acp.Process).Swap8,
	}
)

// goacp_atomic4 is the 4-byte atomic with the number op where C does not do it
// itself.
//
//export goacp_atomic4
func goacp_atomic4(op C.int, dst, src C.acp_ga_t, value C.uint32_t, order C.acp_handle_t) C.acp_handle_t {
	return issue(func(p *acp.Process) (acp.Handle, error) {
		return atomics4[op](p, acp.GA(dst), acp.GA(src), uint32(value), acp.Handle(order))
	})
}

// goacp_atomic8 is goacp_atomic4 for 8 bytes.
//
//export goacp_atomic8
func goacp_atomic8(op C.int, dst, src C.acp_ga_t, value C.uint64_t, order C.acp_handle_t) C.acp_handle_t {
	return issue(func(p *acp.Process) (acp.Handle, error) {
		return atomics8[op](p, acp.GA(dst), acp.GA(src), uint64(value), acp.Handle(order))
	})
}

// goacp_cas4 is acp_cas4 where C does not do it itself.
//
//export goacp_cas4
func goacp_cas4(dst, src C.acp_ga_t, oldval, newval C.uint32_t, order C.acp_handle_t) C.acp_handle_t {
	return issue(func(p *acp.Process) (acp.Handle, error) {
		return p.Cas4(acp.GA(dst), acp.GA(src), uint32(oldval), uint32(newval), acp.Handle(order))
	})
}

// goacp_cas8 is acp_cas8 where C does not do it itself.
//
//export goacp_cas8
func goacp_cas8(dst, src C.acp_ga_t, oldval, newval C.uint64_t, order C.acp_handle_t) C.acp_handle_t {
	return issue(func(p *acp.Process) (acp.Handle, error) {
		return p.Cas8(acp.GA(dst), acp.GA(src), uint64(oldval), uint64(newval), acp.Handle(order))
	})
}

// goacp_complete is acp_complete while something is in flight.
//
//export goacp_complete
func goacp_complete(handle C.acp_handle_t) {
	awaitDone(func(p *acp.Process) error {
		err := p.Complete(acp.Handle(handle))
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			gmaFailed(err)
		}
		return err
	})
}

// goacp_inquire is acp_inquire while something is in flight.
//
//export goacp_inquire
func goacp_inquire(handle C.acp_handle_t) C.int {
	return call(0, func(p *acp.Process) (C.int, error) {
		done, err := p.Inquire(acp.Handle(handle))
		if err != nil {
			gmaFailed(err)
		}
		return truth(!done), err
	})
}
