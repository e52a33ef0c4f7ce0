//go:build cgo

package libacp

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/goacp/goacp/acp"
)

func TestErrno(t *testing.T) {
	for _, test := range []struct {
		err  error
		want syscall.Errno
	}{
		{acp.ErrFinalized, syscall.EPERM},
		{&acp.OpError{Op: "copy", Err: acp.ErrBadAddress}, syscall.EFAULT},
		{&acp.OpError{Op: "add4", Err: acp.ErrMisaligned}, syscall.EINVAL},
		{fmt.Errorf("%w: %w", acp.ErrPeerDead, syscall.EPIPE), syscall.ECONNRESET},
		{fmt.Errorf("mmap: %w", syscall.ENOMEM), syscall.ENOMEM},
		{errors.Join(nil, context.DeadlineExceeded), syscall.ETIMEDOUT},
		{errInitialised, syscall.EALREADY},
		{errors.New("anything"), syscall.EINVAL},
	} {
		if got := errno(test.err); got != test.want {
			t.Errorf("%v: %d, expected %d", test.err, got, test.want)
		}
	}
}
