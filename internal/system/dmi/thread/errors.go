package thread

import (
	"errors"
	"fmt"
)

// Errors of functions. Those of other processes arrive as text, so that errors.Is holds for errors of this process alone.
var (
	ErrNoProcess = errors.New("no such process")
	ErrNoThread  = errors.New("no such thread")
	ErrArgument  = errors.New("bad argument")
	ErrState     = errors.New("wrong state")
	ErrNotThread = errors.New("the caller is no thread of DMI")
	ErrProgram   = errors.New("the program lacks a function")
	ErrFixed     = errors.New("the processes of this run are fixed")

	errGivenUp = fmt.Errorf("%w: the caller has given up", ErrState)
)
