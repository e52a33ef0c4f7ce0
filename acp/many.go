package acp

import (
	"fmt"
	"slices"
)

// ManyError lists the keys or elements for which a call has failed. A call for keys has succeeded for all
// other keys. An OpError wraps the ManyError. An error of such a call without a ManyError concerns the whole
// call: either its arguments are invalid and it has changed nothing, or the run is over.
type ManyError struct {
	Of     int   // how many keys or elements the call was for
	Failed []int // which of them failed, by their indices, in order
	Err    error // why the first of these failed
}

// Error implements the error interface, for example "2 of 100, the first of which is number 7: bad size".
func (e *ManyError) Error() string {
	return fmt.Sprintf("%d of %d, the first of which is number %d: %v", len(e.Failed), e.Of, e.Failed[0], e.Err)
}

// Unwrap returns the cause.
func (e *ManyError) Unwrap() error { return e.Err }

// manyError returns the error of a call whose elements have failed with errs, nil if none has.
func manyError(errs []error) error {
	var f failures
	for i, err := range errs {
		f.note(i, err)
	}
	return f.errorOf(len(errs))
}

// failures collects the keys for which a call fails, in any order.
type failures struct {
	failed []int
	first  int
	err    error // of the first
}

func (f *failures) note(i int, err error) {
	if err == nil {
		return
	}
	if len(f.failed) == 0 || i < f.first {
		f.first, f.err = i, err
	}
	f.failed = append(f.failed, i)
}

// errorOf returns the error of a call for n keys, nil if none has failed.
func (f *failures) errorOf(n int) error {
	if len(f.failed) == 0 {
		return nil
	}
	slices.Sort(f.failed)
	return &ManyError{Of: n, Failed: f.failed, Err: f.err}
}
