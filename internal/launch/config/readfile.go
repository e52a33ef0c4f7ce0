package config

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile is the largest description or nodefile that is read, in bytes.
const maxFile = 64 << 20

// ReadFile reads a description or a nodefile.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, &ParseError{File: name, Err: cause(err)}
	}
	defer f.Close()
	return ReadAll(name, f)
}

func ReadAll(name string, f io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, &ParseError{File: name, Err: cause(err)}
	}
	if len(text) > maxFile {
		return nil, &ParseError{File: name, Err: fmt.Errorf("the file is larger than %d bytes", maxFile)}
	}
	return text, nil
}

// cause says why a file cannot be read. The ParseError around it names the file, so
// that the name which package os puts into its errors is left out.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}
