package segbuf

import "errors"

// Errors of ends that users may test for, beside those of packages global and collective.
var (
	// ErrNotConnected: the other end is not there yet.
	ErrNotConnected = errors.New("not connected")
	// ErrConnected: this end is connected, and has to be disconnected first.
	ErrConnected = errors.New("still connected")
	// ErrDisconnected: this end has been disconnected.
	ErrDisconnected = errors.New("disconnected")
	// ErrFull: no segment is free.
	ErrFull = errors.New("full")
)
