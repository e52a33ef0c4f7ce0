package channel

import (
	"errors"
	"fmt"
)

// Errors of channels and requests that programs may test for, beside those of package global.
var (
	// ErrFreed: the end of the channel is being freed, or the other end was freed and no message is left.
	ErrFreed = errors.New("channel freed")
	// ErrEnded: the sender has freed its end, and no message is left. It is an ErrFreed.
	ErrEnded = fmt.Errorf("%w by its sender", ErrFreed)
	// ErrNoRequest: no request that may be waited for has this handle.
	ErrNoRequest = errors.New("no such request")
	// ErrUnreadable: the memory of a message was not readable when the library copied it.
	ErrUnreadable = errors.New("the memory of the message cannot be read")
)
