package tests

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

const goPage = "docs/go.md"

// blocks returns the blocks of code of a kind that docs/go.md shows.
func blocks(t *testing.T, kind string) []string {
	t.Helper()
	text, err := os.ReadFile(suite.Source(goPage))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile("(?ms)^```"+kind+"\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
	}
	return found
}

// module makes a module outside of the source tree of the program in docs/go.md that contains
// text, by the commands of that page. No command may use the network.
func module(t *testing.T, text string) *harness.Sandbox {
	t.Helper()
	sandbox := suite.Sandbox(t)
	sandbox.UseGoCaches()
	sandbox.Env = append(sandbox.Env, "GOACP="+suite.Source(), "GOPROXY=off")
	for _, program := range blocks(t, "go") {
		if strings.HasPrefix(program, "package main") && strings.Contains(program, text) {
			sandbox.Write("main.go", program)
		}
	}
	sandbox.Must("/bin/sh", "-euc", blocks(t, "sh")[0])
	return sandbox
}

// requirements returns the lines of a go.mod that name modules and versions.
func requirements(text string) []string {
	return regexp.MustCompile(`(?m)^require .*$`).FindAllString(text, -1)
}

// TestModule: a user builds the program of docs/go.md in a module of their own, with and without
// the vendored packages, and starts it.
func TestModule(t *testing.T) {
	suite.Bin(t, "acprun")
	sandbox := module(t, "ring")
	made, shown := requirements(sandbox.Must("/bin/cat", "go.mod")), requirements(blocks(t, "gomod")[0])
	if strings.Join(made, "\n") != strings.Join(shown, "\n") || len(made) == 0 {
		t.Errorf("go.mod has %q, %s shows %q", made, goPage, shown)
	}
	commands := blocks(t, "sh")
	check := func(out string) {
		t.Helper()
		for _, line := range []string{"rank 0 of 3 got 102\n", "rank 1 of 3 got 100\n", "rank 2 of 3 got 101\n"} {
			if !strings.Contains(out, line) {
				t.Errorf("found %q, expected %q in it", out, line)
			}
		}
	}
	check(sandbox.Must("/bin/sh", "-euc", commands[1]))

	vendor, build, found := strings.Cut(commands[3], "\n")
	if !found {
		t.Fatalf("%s: expected two commands in %q", goPage, commands[3])
	}
	sandbox.Must("/bin/sh", "-euc", vendor+"\nrm ring")
	sandbox.Env = append(sandbox.Env, "GOMODCACHE="+sandbox.Dir+"/none", "GOACP=/nowhere")
	sandbox.Must("/bin/sh", "-euc", build)
	check(sandbox.Must("acprun", "-np", "3", "./ring"))
}

// TestModuleWithMPI: the same for the program of docs/go.md that uses MPI.
func TestModuleWithMPI(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	suite.Bin(t, "macpgo")
	sandbox := module(t, "gompi")
	named := strings.NewReplacer("mpirun\n", mpi.Mpirun+"\n", "macpgo ", "macpgo -mpi "+mpi.Name+" ")
	out := sandbox.Must("/bin/sh", "-euc", named.Replace(blocks(t, "sh")[2]))
	for _, line := range []string{
		"ACP rank 0 of 3, MPI rank 0 of 1\n", "ACP rank 1 of 3, MPI rank 0 of 2\n", "ACP rank 2 of 3, MPI rank 1 of 2\n",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("found %q, expected %q in it", out, line)
		}
	}
}
