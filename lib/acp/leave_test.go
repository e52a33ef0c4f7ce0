//go:build cgo

package main

import "testing"

// TestLeave: C leaves small GMAs in the Intake, in all states of it, and nothing that Go has to do.
func TestLeave(t *testing.T) {
	allWell(t, together(t, 1, nil, program(t, "leave")), "")
}
