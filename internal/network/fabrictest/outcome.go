package fabrictest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/fabric"
)

// timeLimit is how long a test waits for what must happen. It is a deadline for
// broken code, not a measure of speed.
const timeLimit = 30 * time.Second

// Outcome is a completion to wait for. The zero value is not ready; make one with
// NewOutcome. It serves one operation.
type Outcome struct {
	calls atomic.Int32
	done  chan struct{}
	old   uint64
	err   error
}

// NewOutcome returns an Outcome for one operation.
func NewOutcome() *Outcome { return &Outcome{done: make(chan struct{})} }

// Complete implements fabric.Completion.
func (o *Outcome) Complete(old uint64, err error) {
	if o.calls.Add(1) == 1 {
		o.old, o.err = old, err
		close(o.done)
	}
}

// errTwice and errNever are outcomes that break the contract.
var (
	errTwice = errors.New("completed more than once")
	errNever = errors.New("not completed within the time limit of the test")
)

// Wait returns the outcome. It does not fail the test itself, so that any
// goroutine may call it.
func (o *Outcome) Wait() (old uint64, err error) {
	select {
	case <-o.done:
	case <-time.After(timeLimit):
		return 0, errNever
	}
	if o.calls.Load() != 1 {
		return 0, errTwice
	}
	return o.old, o.err
}

// Must is Wait for an operation that has to succeed.
func (o *Outcome) Must(t testing.TB) uint64 {
	t.Helper()
	old, err := o.Wait()
	if err != nil {
		t.Fatalf("operation failed: %v", err)
	}
	return old
}

var _ fabric.Completion = (*Outcome)(nil)
