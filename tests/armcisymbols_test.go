package tests

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// armciSymbols returns the names in lists of symbols of libarmci.
func armciSymbols(t *testing.T, lists ...string) []string {
	t.Helper()
	var names []string
	for _, list := range lists {
		text, err := os.ReadFile(suite.Source("lib", "armci", list))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.Fields(string(text))...)
	}
	slices.Sort(names)
	return names
}

// TestARMCISymbolsOfMPI: the library of each MPI has all functions, also those that need MPI, and nothing
// else. A program that names all of them compiles without warnings in every language, links and
// starts.
func TestARMCISymbolsOfMPI(t *testing.T) {
	t.Parallel()
	names := armciSymbols(t, "symbols.txt", "symbols_mpi.txt")
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			out, err := exec.Command("nm", "-D", "--defined-only", suite.Library(mpi, "libarmci.so")).Output()
			if err != nil {
				t.Fatal(err)
			}
			var defined []string
			for _, m := range regexp.MustCompile(`(?m) [B-Z] (\w*)`).FindAllStringSubmatch(string(out), -1) {
				if !strings.HasPrefix(m[1], "_") {
					defined = append(defined, m[1])
				}
			}
			if slices.Sort(defined); !slices.Equal(defined, names) {
				t.Errorf("defined: %q\nexpected: %q", defined, names)
			}
			compileAll(t, mpi, names)
		})
	}
}

// compileAll compiles a program that names all functions, in every language, and runs it.
func compileAll(t *testing.T, mpi harness.MPI, names []string) {
	var b strings.Builder
	b.WriteString("#include <armcix.h>\n#include <armci_iterator.h>\nint all(void);\n")
	b.WriteString("int all(void) {\n  int n = 0;\n")
	for _, name := range names {
		if name == "ARMCI_COMM_WORLD" {
			b.WriteString("  n += ARMCI_COMM_WORLD == MPI_COMM_NULL;\n")
			continue
		}
		fmt.Fprintf(&b, "  { void (*volatile f)(void) = (void (*)(void))%s; n += f != 0; }\n", name)
	}
	b.WriteString("  return n;\n}\n")
	fmt.Fprintf(&b, "int main(void) { return all() != %d || ARMCI_Initialized(); }\n", len(names))
	sandbox := suite.Sandbox(t)
	source := sandbox.Write("all.c", b.String())
	for _, l := range []struct{ compiler, language, standard string }{
		{"macpcc", "c", "c99"}, {"macpcc", "c", "c17"}, {"macpc++", "c++", "c++17"},
	} {
		program := sandbox.Write("all-"+l.standard, "")
		// The old C++ interface of mpi.h does not compile without warnings.
		sandbox.Must(suite.Bin(t, l.compiler), "-mpi", mpi.Name, "-x", l.language, "-std="+l.standard, "-Wall", "-Wextra", "-Werror",
			"-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-o", program, source, "-x", "none", "-larmci")
		sandbox.Must(program)
	}
}
