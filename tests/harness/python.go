package harness

import (
	"os/exec"
	"testing"
)

// NeedPython returns an interpreter of Python with numpy and scipy. Skips the test if there is none.
func (s *Suite) NeedPython(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		path, err := exec.LookPath(name)
		if err == nil && exec.Command(path, "-c", "import numpy, scipy.sparse").Run() == nil {
			return path
		}
	}
	t.Skip("there is no Python with numpy and scipy: run ./bootstrap")
	return ""
}
