package tests

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecondRuntime: a program with a shared library made by Go needs the shared libacp, and a line reports
// it.
func TestSecondRuntime(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	sandbox.UseGoCaches()
	library := filepath.Join(sandbox.Dir, "libtwo.so")
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	two := sandbox.Write("two.go", "package main\n\nimport \"C\"\n\n//export Two\nfunc Two() C.int { return 2 }\n\nfunc main() {}\n")
	sandbox.Must(compiler, "build", "-buildmode=c-shared", "-o", library, two)
	source := sandbox.Write("main.c", `#include <acp.h>
#include <stdio.h>
int Two(void);
int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0)
    return 1;
  printf("%d\n", Two());
  return acp_finalize();
}
`)
	link := func() string {
		program := filepath.Join(sandbox.Dir, "program")
		sandbox.Must("acpcc", source, library, "-Wl,-rpath,"+sandbox.Dir, "-o", program)
		return program
	}
	r := sandbox.Run("", link())
	if want := library + " is made by Go, too"; r.Status != 255 || !strings.Contains(r.Stderr, want) || !strings.Contains(r.Stderr, "ACP_LINK=shared") {
		t.Errorf("%v, expected status 255 and %q", r, want)
	}
	sandbox.Env = append(sandbox.Env, "ACP_LINK=shared")
	lines(t, sandbox.Must(link()), "2$")
}
