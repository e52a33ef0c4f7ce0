// Package fortrantest finds the Fortran compiler for tests, and makes the modules of the library.
package fortrantest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Compiler returns the Fortran compiler that configure has found, or that of the search path if configure
// has not been called. root is the folder of the module. The test is skipped if there is none.
func Compiler(t *testing.T, root string) string {
	t.Helper()
	if text, err := os.ReadFile(filepath.Join(root, "config.mk")); err == nil {
		if m := regexp.MustCompile(`(?m)^FC = (.+)$`).FindSubmatch(text); m != nil {
			return string(m[1])
		}
		t.Skip("configure has found no Fortran compiler")
	}
	if _, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("there is no gfortran")
	}
	return "gfortran"
}

// BindingHeader returns the path of the header with the descriptors of arrays of the Fortran compiler. root is the
// folder of the module. The test is skipped if there is no compiler.
func BindingHeader(t *testing.T, root string) string {
	t.Helper()
	words := append(strings.Fields(Compiler(t, root)), "-print-file-name=include/ISO_Fortran_binding.h")
	out, err := exec.Command(words[0], words[1:]...).Output()
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(words, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// Modules writes the modules of the library to a folder. root is the folder of the module.
func Modules(t *testing.T, root, dir string) {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	generator := exec.Command("go", "run", "./gen/fortrangen", dir)
	generator.Dir = root
	if out, err := generator.CombinedOutput(); err != nil {
		t.Fatalf("fortrangen: %v\n%s", err, out)
	}
}
