package config

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile is the size of the largest description or nodefile, in bytes.
const maxFile = 64 << 20

// byteOrderMark stands at the beginning of texts of some editors.
const byteOrderMark = "\ufeff"

// ReadFile reads a description or a nodefile. Errors are of type *ParseError.
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

// cause returns the reason why a file cannot be read. The ParseError around it names the file, so cause drops
// the name that package os puts into its errors.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}
