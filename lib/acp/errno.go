//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"context"
	"errors"
	"syscall"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// numbers says which number of ACP_ERRNO an error has; the first that fits counts.
// acp.h lists them for users.
var numbers = [...]struct {
	err    error
	number syscall.Errno
}{
	{acp.ErrFinalized, syscall.EPERM},
	{errInitialised, syscall.EALREADY},
	{acp.ErrPeerDead, syscall.ECONNRESET},
	{acp.ErrRankGone, syscall.ESRCH},
	{acp.ErrStays, syscall.EBUSY},
	{acp.ErrGuests, syscall.EBUSY},
	{acp.ErrFixed, syscall.ENOTSUP},
	{acp.ErrLeft, syscall.ESHUTDOWN},
	{acp.ErrBadAddress, syscall.EFAULT},
	{acp.ErrUnreadable, syscall.EFAULT},
	{acp.ErrBadKey, syscall.ENOENT},
	{acp.ErrNotLocal, syscall.EREMOTE},
	{acp.ErrMisaligned, syscall.EINVAL},
	{acp.ErrBadRank, syscall.EINVAL},
	{acp.ErrBadColor, syscall.EINVAL},
	{acp.ErrNotPermutation, syscall.EINVAL},
	{acp.ErrBadSize, syscall.EINVAL},
	{acp.ErrOutOfRange, syscall.EINVAL},
	{acp.ErrBadIterator, syscall.EINVAL},
	{acp.ErrDestroyed, syscall.EINVAL},
	{acp.ErrNotConnected, syscall.ENOTCONN},
	{acp.ErrConnected, syscall.ENOTCONN}, // not disconnected
	{acp.ErrDisconnected, syscall.ENOTCONN},
	{acp.ErrFull, syscall.EAGAIN},
	{acp.ErrEmpty, syscall.EAGAIN},
	{acp.ErrNotEndpoint, syscall.EINVAL},
	{acp.ErrDisagree, syscall.EINVAL},
	{acp.ErrProtocol, syscall.EPROTO},
	{acp.ErrHeapFull, syscall.ENOMEM},
	{acp.ErrNotAllocated, syscall.EINVAL},
	{acp.ErrHeapDamaged, syscall.EIO},
	{segment.ErrTableFull, syscall.ENOMEM},
	{errNothing, syscall.EBADF},
	{link.ErrClosed, syscall.EBADF},
	{link.ErrMissing, syscall.ENOENT},
	{link.ErrField, syscall.ENOENT},
	{points.ErrTwice, syscall.EEXIST},
	{link.ErrPartner, syscall.ECANCELED},
	{link.ErrEnded, syscall.EPIPE},
	{link.ErrStep, syscall.ERANGE},
	{link.ErrDiverged, syscall.EDOM},
	{link.ErrUnfinished, syscall.EINPROGRESS},
	{context.DeadlineExceeded, syscall.ETIMEDOUT},
}

// errno returns the number of err.
func errno(err error) syscall.Errno {
	for _, n := range numbers {
		if errors.Is(err, n.err) {
			return n.number
		}
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return syscall.EINVAL
}

// fail records err for the program, in the thread that has called.
func fail(err error) {
	C.goacp_set_errno(C.int(errno(err)))
	text := C.CString(oneLine(reason(err).Error()))
	defer C.free(unsafe.Pointer(text))
	C.goacp_set_reason(text)
}

// reason returns err without the operation that it names, which is one of Go.
func reason(err error) error {
	for op, ok := err.(*acp.OpError); ok; op, ok = err.(*acp.OpError) {
		err = op.Err
	}
	return err
}
