package config

import (
	"errors"
	"fmt"
)

// ParseError is a mistake in a file that describes a run. Its text is one line: the file, the line, the text
// found, and the text expected.
type ParseError struct {
	File string // as the user named it
	Line int    // from 1; 0 where no line is to blame
	Err  error
}

// Error implements error.
func (e *ParseError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// Errorf returns a ParseError for one line of a file.
func Errorf(file string, line int, format string, args ...any) error {
	return &ParseError{File: file, Line: line, Err: fmt.Errorf(format, args...)}
}

// errEnded is part of the error for a file that ends too early.
var errEnded = errors.New("the file ends")
