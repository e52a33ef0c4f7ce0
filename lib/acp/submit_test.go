//go:build cgo

package libacp

import "testing"

// TestSubmit: C submits small GMAs, in all states of the submission queue, and nothing that Go has to do.
func TestSubmit(t *testing.T) {
	allWell(t, together(t, 1, nil, program(t, "submit")), "")
}
