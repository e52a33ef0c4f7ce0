package description

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/goacp/goacp/internal/system/couple/matrixmarket"
)

// FindWeights makes the name of the file with weights absolute, which is relative to a folder, and reads the head of the file. It does
// nothing if the link has no weights. Fails with ErrLink.
func (l *Link) FindWeights(folder string) error {
	if l.Weights == "" {
		return nil
	}
	name := l.Weights
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	err := readHead(name)
	if err == nil {
		l.Weights, err = filepath.Abs(name)
	}
	if err != nil {
		return fmt.Errorf("%w: weights: %w", ErrLink, err)
	}
	return nil
}

// readHead reads the lines of a file before the entries of the matrix. It opens only files that cannot block.
func readHead(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file, but %s", file, info.Mode().Type())
	}
	text, err := os.Open(file)
	if err != nil {
		return err
	}
	defer text.Close()
	if _, err := matrixmarket.NewReader(text).Size(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
