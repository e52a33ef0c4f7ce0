//go:build cgo

package libacp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// firstProgram compiles the first program in C of a page of the manual, in the oldest language that the headers
// support.
func firstProgram(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```c\n")
	source, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatalf("there is no program in docs/%s", page)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path+".c", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := command(machine.CC(), "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", path+".c", needArchive(t), "-o", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// The program in docs/c-api.md compiles and does what it says.
func TestDocumentedProgram(t *testing.T) {
	path := firstProgram(t, "c-api.md")
	const procs = 3
	for r, e := range together(t, procs, nil, path) {
		want := fmt.Sprintf("rank %d of %d: before me is rank %d\n", r, procs, (r+procs-1)%procs)
		if e != (ended{stdout: want}) {
			t.Errorf("rank %d: %v, expected %q", r, e, want)
		}
	}
}

// TestDocumentedCoupling: the program in docs/couple-c.md compiles and does what it says.
func TestDocumentedCoupling(t *testing.T) {
	path := firstProgram(t, "couple-c.md")
	text, err := os.ReadFile("../../docs/couple-c.md")
	if err != nil {
		t.Fatal(err)
	}
	for r, e := range together(t, 3, nil, path) {
		if e.status != 0 || e.stderr != "" || (r == 0) != (e.stdout == "") || !strings.Contains(string(text), "\n"+e.stdout) {
			t.Errorf("rank %d: %v, which the page does not say", r, e)
		}
	}
}

// TestDocumentedCode: the code in C on pages of the manual compiles, also where it is a part of a function. A header for
// each page declares what the code uses without declaring it.
func TestDocumentedCode(t *testing.T) {
	for _, c := range []struct {
		page, header string
		blocks       int // at least
	}{
		{"couple.md", "couple.h", 11},
		{"couple-c.md", "couple.h", 2},
		{"couple-time.md", "couple.h", 3},
		{"couple-inspect.md", "couple.h", 2},
		{"couple-implicit.md", "implicit.h", 2},
		{"couplers.md", "implicit.h", 1},
		{"guide.md", "guide.h", 8},
		{"heap.md", "structures.h", 1},
		{"channels.md", "structures.h", 1},
		{"workspace.md", "structures.h", 1},
		{"vector.md", "structures.h", 1},
		{"deque.md", "structures.h", 1},
		{"list.md", "structures.h", 1},
		{"map.md", "structures.h", 2},
		{"segbuf.md", "structures.h", 1},
		{"gp.md", "structures.h", 1},
		{"stats.md", "structures.h", 1},
		{"debugging.md", "structures.h", 2},
		{"elastic.md", "elastic.h", 8},
		{"c-api.md", "elastic.h", 2},
		{"weights.md", "weights.h", 2},
		{"dmi.md", "dmi.h", 3},
		{"armci.md", "structures.h", 1},
	} {
		t.Run(c.page, func(t *testing.T) {
			text, err := os.ReadFile("../../docs/" + c.page)
			if err != nil {
				t.Fatal(err)
			}
			source, blocks := "#include \"testdata/docs/"+c.header+"\"\n", 0
			check := func(source string) {
				t.Helper()
				path := filepath.Join(t.TempDir(), "blocks.c")
				if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := command("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-variable", "-Wno-unused-parameter",
					"-Wno-unused-but-set-variable", "-I.", "-I../gp", "-I../armci", "-I../dmi", "-fsyntax-only", path); err != nil {
					t.Error(err)
				}
			}
			for _, part := range strings.Split(string(text), "```c\n")[1:] {
				code, _, ok := strings.Cut(part, "```")
				if !ok {
					t.Fatalf("docs/%s: a block of code does not end", c.page)
				}
				blocks++
				if strings.Contains(code, "int main(") || strings.Contains(code, "DMI_main(") {
					check(code)
					continue
				}
				source += fmt.Sprintf("void block_%d(void);\nvoid block_%[1]d(void) {\n%s}\n", blocks, code)
			}
			if blocks < c.blocks {
				t.Errorf("docs/%s has %d blocks of code, expected at least %d", c.page, blocks, c.blocks)
			}
			check(source)
		})
	}
}
