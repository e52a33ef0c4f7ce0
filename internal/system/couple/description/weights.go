package description

import (
	"fmt"
	"path/filepath"

	"github.com/goacp/goacp/internal/system/couple/weightfile"
)

// FindWeights makes the name of the file with weights absolute, which is relative to a folder, and checks the beginning of the file. It does
// nothing if the link has no weights. Fails with ErrLink.
func (l *Link) FindWeights(folder string) error {
	if l.Weights == "" {
		return nil
	}
	name := l.Weights
	if !filepath.IsAbs(name) {
		name = filepath.Join(folder, name)
	}
	err := weightfile.Check(name)
	if err == nil {
		l.Weights, err = filepath.Abs(name)
	}
	if err != nil {
		return fmt.Errorf("%w: weights: %w", ErrLink, err)
	}
	return nil
}
