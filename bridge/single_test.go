package bridge

import (
	"context"
	"errors"
	"testing"
)

func TestSingle(t *testing.T) {
	ctx := context.Background()
	b := Single()
	if b.Member() != 0 || b.Cohort().Size != 1 {
		t.Errorf("member %d of %d", b.Member(), b.Cohort().Size)
	}
	if job, jobRank := b.JobRank(); job != 0 || jobRank != 0 || b.Address().IsValid() || b.Token() == Single().Token() {
		t.Errorf("process %d of job %d at %v", jobRank, job, b.Address())
	}
	mine := []byte("blob")
	blobs, err := b.Exchange(ctx, mine)
	if err != nil || len(blobs) != 1 || string(blobs[0]) != "blob" {
		t.Errorf("%q, %v", blobs, err)
	}
	mine[0] = 'X'
	if string(blobs[0]) != "blob" {
		t.Error("the result is the caller's own slice")
	}
	if _, err := b.Exchange(ctx, make([]byte, MaxBlob+1)); err == nil {
		t.Error("blob too long: no error")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := b.Exchange(cancelled, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b.Abort(Abort{Reason: "enough"})
	var abort *AbortError
	if err := expectLost(t, b); !errors.As(err, &abort) || abort.Reason != "enough" {
		t.Errorf("%v", err)
	}
	b = Single()
	if err := b.Close(); err != nil || b.Err() != nil {
		t.Errorf("%v, %v", err, b.Err())
	}
	if _, err := b.Exchange(ctx, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	b.Abort(Abort{Reason: "too late"})
	if b.Err() != nil {
		t.Errorf("lost after close: %v", b.Err())
	}
}
