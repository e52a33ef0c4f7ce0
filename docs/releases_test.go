package docs

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/release"
)

// TestReleaseOfPython: the package for Python names this release, and asks for its libraries.
func TestReleaseOfPython(t *testing.T) {
	for name, text := range map[string]string{
		"python/pyproject.toml": "\nversion = \"" + release.Version + "\"\n",
		"python/goacp/_find.py": "\nVERSION = \"" + release.Version + "\"",
	} {
		if !strings.Contains(read(t, name), text) {
			t.Errorf("%s does not contain %q", name, text)
		}
	}
}
