//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	messages "github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// goacp_armci_me is armci_msg_me: the number of this process in the world, or in its job if there
// is none, and -1 before acp_init.
//
//export goacp_armci_me
func goacp_armci_me() C.int {
	if s := armci.session.Load(); s != nil {
		return C.int(s.World.Self())
	}
	if p := lib.process.Load(); p != nil {
		x := core.Of(p)
		return C.int(slices.Index(x.Members(), x.Process().Ranks.Self()))
	}
	return -1
}

// goacp_armci_nproc is armci_msg_nproc: the number of processes of the world, or of the job if
// there is none, and -1 before acp_init.
//
//export goacp_armci_nproc
func goacp_armci_nproc() C.int {
	if s := armci.session.Load(); s != nil {
		return C.int(s.World.Procs())
	}
	if p := lib.process.Load(); p != nil {
		return C.int(len(core.Of(p).Members()))
	}
	return -1
}

// goacp_armci_send is armci_msg_snd.
//
//export goacp_armci_send
func goacp_armci_send(call *C.struct_goacp_call, tag C.int, at unsafe.Pointer, n, to C.int) C.int {
	return withGroup(call, C.GOACP_ARMCI_WORLD_GROUP, func(s *core.Session, g *group.Group) error {
		b, err := bytesAt(at, int64(n))
		if err != nil {
			return err
		}
		if err := s.World.Check(int(to)); err != nil {
			return err
		}
		return armciWaited(g.Groups().Engine().Send(g.Groups().Label(int32(tag)), s.World.Member(int(to)), b))
	})
}

// goacp_armci_receive is armci_msg_rcv, and armci_msg_rcvany for GOACP_ARMCI_ALL_PROCS. It returns
// the sender. got may be NULL.
//
//export goacp_armci_receive
func goacp_armci_receive(call *C.struct_goacp_call, tag C.int, at unsafe.Pointer, capacity C.int, got *C.int, from C.int) C.int {
	result := withGroup(call, C.GOACP_ARMCI_WORLD_GROUP, func(s *core.Session, g *group.Group) error {
		b, err := bytesAt(at, int64(capacity))
		if err != nil {
			return err
		}
		engine, label, n := g.Groups().Engine(), g.Groups().Label(int32(tag)), 0
		if from == C.GOACP_ARMCI_ALL_PROCS {
			var member int
			member, n, err = engine.ReceiveAny(label, b)
			if proc, ok := s.World.Proc(member); err == nil && ok {
				from = C.int(proc)
			}
		} else {
			if err := s.World.Check(int(from)); err != nil {
				return err
			}
			n, err = engine.Receive(label, s.World.Member(int(from)), b)
		}
		if got != nil {
			*got = C.int(n)
		}
		return armciWaited(err)
	})
	if result != 0 {
		return result
	}
	return from
}

// bytesAt returns n bytes of C. Fails if there can be none.
func bytesAt(at unsafe.Pointer, n int64) ([]byte, error) {
	switch {
	case n < 0:
		return nil, fmt.Errorf("%w: %d", world.ErrCount, n)
	case n > 0 && at == nil:
		return nil, fmt.Errorf("%w: NULL", world.ErrAddress)
	}
	if err := fabric.CheckAddress(uintptr(at)); err != nil {
		return nil, fmt.Errorf("%w: %w", world.ErrAddress, err)
	}
	return unsafe.Slice((*byte)(at), n), nil
}

// armciWaited returns the error of ARMCI for one of package message.
func armciWaited(err error) error {
	if errors.Is(err, messages.ErrTooLong) || errors.Is(err, messages.ErrUnequal) {
		return fmt.Errorf("%w: %w", world.ErrCount, err)
	}
	return err
}
