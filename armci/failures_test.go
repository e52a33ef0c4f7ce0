package armci

import (
	"errors"
	"testing"
)

// TestFailures: of the stores that have failed, the first is told, once.
func TestFailures(t *testing.T) {
	var f failures
	if err := f.take(); err != nil {
		t.Errorf("%v before a failure", err)
	}
	first, second := errors.New("first"), errors.New("second")
	f.add(first)
	f.add(second)
	if err := f.take(); err != first {
		t.Errorf("%v, want the first failure", err)
	}
	if err := f.take(); err != nil {
		t.Errorf("%v is told twice", err)
	}
}
