package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpack reads the recipe for Spack with stand-ins for Spack's own functions: for each set of variants configure takes the
// options, and the module of Python is where make install puts it.
func TestSpack(t *testing.T) {
	python := suite.NeedPython(t)
	sandbox := suite.Sandbox(t)
	sandbox.Env = append(sandbox.Env, "PYTHONDONTWRITEBYTECODE=1")
	recipe := suite.Source("packaging", "spack", "packages", "goacp", "package.py")
	out := sandbox.Must(python, suite.Source("tests", "testdata", "spack.py"), recipe)
	configured, folders := 0, 0
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		switch words[0] {
		case "configure":
			configured++
			// configure looks at all of its options before it prints the version.
			args := strings.ReplaceAll(strings.Join(words[1:], " "), "--prefix=/opt/goacp", "--prefix="+filepath.Join(sandbox.Dir, "prefix"))
			sandbox.Must("/bin/sh", "-c", `cd "$0" && ./configure $1 --version`, suite.Source(), args)
		case "prepend":
			folders++
			if words[1] != "PYTHONPATH" || words[2] != "/opt/goacp/lib/python3/site-packages" {
				t.Errorf("%s", line)
			}
		}
	}
	if configured != 8 || folders != 4 {
		t.Errorf("%d sets of variants, %d with Python:\n%s", configured, folders, out)
	}
	text, err := os.ReadFile(suite.Source("configure"))
	if err != nil || !strings.Contains(string(text), "pythondir=${pythondir:-${home%/}/lib/python3/site-packages}") {
		t.Errorf("configure has another folder of Python: %v", err)
	}
}
