//go:build cgo

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

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/core"
	elements "github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/transfer"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// goacp_armci_strided carries out a contiguous or strided transfer.
//
//export goacp_armci_strided
func goacp_armci_strided(call *C.struct_goacp_call, a *C.struct_goacp_armci_action, s *C.struct_goacp_armci_strided) C.int {
	return armciWith(call, func(x *core.Session) error {
		r, err := stridedRequest(s)
		if err != nil {
			return err
		}
		return armciIssue(x, a, &r)
	})
}

// stridedRequest returns the transfer that a program describes.
func stridedRequest(s *C.struct_goacp_armci_strided) (transfer.Request, error) {
	r := transfer.Request{Proc: int(s.proc), Local: s.local, Remote: uintptr(s.remote)}
	levels := int(s.levels)
	switch {
	case levels < 0 || levels > shape.MaxLevels:
		return r, fmt.Errorf("%w: %d", world.ErrLevels, levels)
	case s.count == nil || levels > 0 && (s.local_stride == nil || s.remote_stride == nil):
		return r, fmt.Errorf("%w: NULL", world.ErrArray)
	}
	ints := func(p *C.int, n int) []int32 { return unsafe.Slice((*int32)(p), n) }
	var err error
	if r.Shape, err = shape.New(ints(s.count, levels+1), ints(s.local_stride, levels), ints(s.remote_stride, levels), levels); err != nil {
		return r, fmt.Errorf("%w: %w", world.ErrCount, err)
	}
	return r, nil
}

// goacp_armci_put_flag carries out a put, and stores a flag behind it.
//
//export goacp_armci_put_flag
func goacp_armci_put_flag(call *C.struct_goacp_call, a *C.struct_goacp_armci_action, s *C.struct_goacp_armci_strided, flag unsafe.Pointer, value C.int) C.int {
	return armciWith(call, func(x *core.Session) error {
		r, err := stridedRequest(s)
		if err != nil {
			return err
		}
		if err := x.Transfer.CheckFlag(r.Proc, uintptr(flag)); err != nil {
			return err // and nothing is put
		}
		if err := armciIssue(x, a, &r); err != nil {
			return err
		}
		return x.Transfer.Flag(r.Proc, uintptr(flag), uint32(value))
	})
}

// goacp_armci_vector carries out a vector transfer of n descriptors.
//
//export goacp_armci_vector
func goacp_armci_vector(call *C.struct_goacp_call, a *C.struct_goacp_armci_action, v *C.struct_goacp_armci_giov, n, proc C.int) C.int {
	return armciWith(call, func(x *core.Session) error {
		r := transfer.Request{Proc: int(proc), Vector: []transfer.Segment{}}
		if n < 0 {
			return fmt.Errorf("%w: %d descriptors", world.ErrLevels, n)
		}
		if n > 0 && v == nil {
			return fmt.Errorf("%w: NULL", world.ErrArray)
		}
		for _, g := range unsafe.Slice(v, int(n)) {
			var err error
			if r.Vector, err = appendSegments(r.Vector, &g, a.kind == C.GOACP_ARMCI_GET); err != nil {
				return err
			}
		}
		return armciIssue(x, a, &r)
	})
}

// goacp_armci_segments carries out a vector transfer of n segments.
//
//export goacp_armci_segments
func goacp_armci_segments(call *C.struct_goacp_call, a *C.struct_goacp_armci_action, segments *C.struct_goacp_armci_segment, n, proc C.int) C.int {
	return armciWith(call, func(x *core.Session) error {
		list := unsafe.Slice((*transfer.Segment)(unsafe.Pointer(segments)), int(n))
		return armciIssue(x, a, &transfer.Request{Proc: int(proc), Vector: list})
	})
}

// manySegments is for how many segments memory is taken before the first one is read: the arrays of the
// program may be shorter than it says.
const manySegments = 1 << 16

// appendSegments appends the segments of a descriptor.
func appendSegments(to []transfer.Segment, g *C.struct_goacp_armci_giov, get bool) ([]transfer.Segment, error) {
	switch {
	case g.bytes < 0:
		return nil, fmt.Errorf("%w: segments of %d", world.ErrCount, g.bytes)
	case g.length < 0:
		return nil, fmt.Errorf("%w: %d segments", world.ErrLevels, g.length)
	case g.bytes == 0 || g.length == 0:
		return to, nil
	case g.src == nil || g.dst == nil:
		return nil, fmt.Errorf("%w: NULL", world.ErrArray)
	}
	src, dst := unsafe.Slice(g.src, int(g.length)), unsafe.Slice(g.dst, int(g.length))
	if get {
		src, dst = dst, src
	}
	to = slices.Grow(to, min(len(src), manySegments))
	err := fabric.Touch(func() {
		for i := range src {
			to = append(to, transfer.Segment{Local: src[i], Remote: uintptr(dst[i]), N: int64(g.bytes)})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %d segments: %w", world.ErrAddress, len(src), err)
	}
	return to, nil
}

// armciIssue carries out or starts a transfer as an action says.
func armciIssue(x *core.Session, a *C.struct_goacp_armci_action, r *transfer.Request) error {
	r.Kind = transfer.Kind(a.kind)
	if r.Kind == transfer.Accumulate {
		r.Type = elements.Type(a._type)
		if !r.Type.Valid() {
			return fmt.Errorf("%w: element type %d", world.ErrLevels, a._type)
		}
		if a.scale == nil {
			return fmt.Errorf("%w: the scale is NULL", world.ErrAddress)
		}
		copy(r.Scale[:], unsafe.Slice((*byte)(a.scale), r.Type.Size()))
	}
	switch {
	case a.blocking != 0:
		return x.Transfer.Do(r)
	case a.handle == nil:
		if err := x.World.Check(r.Proc); err != nil {
			return err
		}
		return x.Transfer.Issue(r, x.Transfer.Implicit(r.Proc))
	}
	t := armci.handles.find(a.handle)
	known := t != nil
	if !known {
		t = new(transfer.Tracker)
	}
	if err := x.Transfer.Issue(r, t); err != nil {
		return err
	}
	if known {
		return nil
	}
	if done, err := x.Transfer.Test(t); done {
		a.handle.slot, a.handle.check = 0, 0
		return err
	}
	armci.handles.enter(a.handle, t)
	return nil
}

// goacp_armci_wait is ARMCI_Wait.
//
//export goacp_armci_wait
func goacp_armci_wait(call *C.struct_goacp_call, h *C.struct_goacp_armci_handle) C.int {
	return armciWith(call, func(x *core.Session) error {
		if h == nil {
			return fmt.Errorf("%w: the handle is NULL", world.ErrAddress)
		}
		t := armci.handles.drop(h)
		if t == nil {
			return nil
		}
		return x.Transfer.Wait(t)
	})
}

// goacp_armci_test is ARMCI_Test.
//
//export goacp_armci_test
func goacp_armci_test(call *C.struct_goacp_call, h *C.struct_goacp_armci_handle) C.int {
	done := true
	result := armciWith(call, func(x *core.Session) (err error) {
		if h == nil {
			return fmt.Errorf("%w: the handle is NULL", world.ErrAddress)
		}
		t := armci.handles.find(h)
		if t == nil {
			return nil
		}
		if done, err = x.Transfer.Test(t); done {
			armci.handles.drop(h)
		}
		return err
	})
	if result == 0 && !done {
		return 1
	}
	return result
}

// goacp_armci_forget is ARMCI_INIT_HANDLE.
//
//export goacp_armci_forget
func goacp_armci_forget(h *C.struct_goacp_armci_handle) {
	t, x := armci.handles.drop(h), armci.session.Load()
	if t != nil && x != nil {
		x.Transfer.Adopt(t)
	}
}

// goacp_armci_wait_proc is ARMCI_WaitProc, and ARMCI_WaitAll for GOACP_ARMCI_ALL_PROCS.
//
//export goacp_armci_wait_proc
func goacp_armci_wait_proc(call *C.struct_goacp_call, proc C.int) C.int {
	return armciWith(call, func(x *core.Session) error {
		if proc == C.GOACP_ARMCI_ALL_PROCS {
			return x.Transfer.WaitAll(context.Background())
		}
		if err := x.World.Check(int(proc)); err != nil {
			return err
		}
		return x.Transfer.WaitProc(int(proc))
	})
}

// goacp_armci_fence is ARMCI_Fence, and ARMCI_AllFence for GOACP_ARMCI_ALL_PROCS.
//
//export goacp_armci_fence
func goacp_armci_fence(call *C.struct_goacp_call, proc C.int) C.int {
	return armciWith(call, func(x *core.Session) error {
		if proc == C.GOACP_ARMCI_ALL_PROCS {
			return x.Transfer.AllFence()
		}
		if err := x.World.Check(int(proc)); err != nil {
			return err
		}
		return x.Transfer.Fence(int(proc))
	})
}

// goacp_armci_barrier is ARMCI_Barrier.
//
//export goacp_armci_barrier
func goacp_armci_barrier(call *C.struct_goacp_call) C.int {
	return armciWith(call, func(x *core.Session) error {
		return errors.Join(x.Transfer.AllFence(), x.Everyone.Barrier())
	})
}

// goacp_armci_modify carries out an atomic on an integer of a process, and stores what it was
// before at old.
//
//export goacp_armci_modify
func goacp_armci_modify(call *C.struct_goacp_call, swap, width C.int, operand C.uint64_t, remote unsafe.Pointer, proc C.int, old *C.uint64_t) C.int {
	return armciWith(call, func(x *core.Session) error {
		a := fabric.Atomic{Op: fabric.OpAdd, Width: uint8(width), Operand: uint64(operand)}
		if swap != 0 {
			a.Op = fabric.OpSwap
		}
		before, err := x.Transfer.Modify(int(proc), uintptr(remote), a)
		*old = C.uint64_t(before)
		return err
	})
}

// goacp_armci_notify is armci_notify.
//
//export goacp_armci_notify
func goacp_armci_notify(call *C.struct_goacp_call, proc C.int) C.int {
	sent := 0
	result := armciWith(call, func(x *core.Session) (err error) {
		sent, err = x.Transfer.Notify(int(proc))
		return err
	})
	if result != 0 {
		return result
	}
	return C.int(sent)
}

// goacp_armci_notify_wait is armci_notify_wait.
//
//export goacp_armci_notify_wait
func goacp_armci_notify_wait(call *C.struct_goacp_call, proc C.int, awaited *C.int) C.int {
	come := 0
	result := armciWith(call, func(x *core.Session) error {
		number, n, err := x.Transfer.AwaitNotify(context.Background(), int(proc))
		come = n
		if awaited != nil {
			*awaited = C.int(number)
		}
		return err
	})
	if result != 0 {
		return result
	}
	return C.int(come)
}
