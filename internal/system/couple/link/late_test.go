package link

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestLateError: the text has the time and the reason, and the error is still that of the context.
func TestLateError(t *testing.T) {
	for _, c := range []struct {
		e    lateError
		want string
	}{
		{lateError{time.Minute, "rank 3 has not opened it", context.DeadlineExceeded}, "not opened after 60 s: rank 3 has not opened it"},
		{lateError{20 * time.Millisecond, "", context.DeadlineExceeded}, "not opened after 0.02 s"},
		{lateError{2 * time.Second, "", context.Canceled}, "not opened after 2 s, when the wait was given up"},
	} {
		if r := rounded(c.e.waited - 4*time.Millisecond); r != c.e.waited {
			t.Errorf("%v became %v", c.e.waited, r)
		}
		if got := c.e.Error(); got != c.want || !errors.Is(&c.e, c.e.cause) {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
