package world

import "errors"

// The reasons why a function of ARMCI fails. Errors of all packages of ARMCI wrap one of them.
var (
	ErrAddress = errors.New("invalid address")
	ErrArray   = errors.New("invalid array of strides or pointers")
	ErrCount   = errors.New("invalid number of bytes")
	ErrLevels  = errors.New("invalid number of levels, segments or elements")
	ErrProc    = errors.New("no such process or group")
	ErrFailed  = errors.New("failed on the way")
	ErrMemory  = errors.New("not enough memory")
	ErrState   = errors.New("not initialised, or called at the wrong time")
)

// reasons has the errors by their numbers in C, negated.
var reasons = []error{nil, ErrAddress, ErrArray, ErrCount, ErrLevels, ErrProc, ErrFailed, ErrMemory, ErrState}

// Code returns the number that C programs and messages have for an error: 0 for nil, otherwise -1
// to -8.
func Code(err error) int {
	if err == nil {
		return 0
	}
	for i, r := range reasons {
		if r != nil && errors.Is(err, r) {
			return -i
		}
	}
	return Code(ErrFailed)
}

// OfCode returns the error with a number, and ErrFailed for a number without an error.
func OfCode(code int) error {
	if code > 0 || -code >= len(reasons) {
		return ErrFailed
	}
	return reasons[-code]
}

// Known reports whether an error wraps an error of this package.
func Known(err error) bool {
	for _, r := range reasons[1:] {
		if errors.Is(err, r) {
			return true
		}
	}
	return false
}
