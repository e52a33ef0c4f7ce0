package message

import "errors"

// Bounds of what a message may hold.
const (
	maxPID    = 1 << 22  // of Linux
	maxReason = 4096     // bytes of a text for the user
	maxNote   = 64 << 10 // bytes of a line of a report
)

var errMessage = errors.New("malformed message")
