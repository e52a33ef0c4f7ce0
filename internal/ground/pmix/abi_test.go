package pmix

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// TestABI: the structures and numbers of abi.h are those of the headers of libpmix.
func TestABI(t *testing.T) {
	var folder string
	for _, pattern := range []string{"/usr/include/pmix.h", "/usr/lib/*/pmix2/include/pmix.h", "/usr/include/*/pmix.h"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			folder = filepath.Dir(found[0])
			break
		}
	}
	if folder == "" {
		t.Skip("the headers of libpmix are missing")
	}
	print := func(options ...string) string {
		program := filepath.Join(t.TempDir(), "facts")
		if out, err := exec.Command(machine.CC(), append(options, "-o", program, "testdata/facts.c")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := machine.Command(t.Context(), program).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	ours, theirs := print(), print("-DHEADERS", "-I"+folder)
	if ours != theirs || ours == "" {
		t.Errorf("abi.h:\n%s\n%s:\n%s", ours, folder, theirs)
	}
}
