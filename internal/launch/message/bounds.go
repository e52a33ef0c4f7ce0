package message

import "errors"

// Bounds of the values in messages.
const (
	maxPID    = 1 << 22  // of Linux
	maxReason = 4096     // bytes of a text for the user
	maxNote   = 64 << 10 // bytes of a line of a report
)

var errMessage = errors.New("malformed message")
