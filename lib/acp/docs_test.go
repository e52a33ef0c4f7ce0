//go:build cgo

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if err := command("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", path+".c", needArchive(t), "-o", path); err != nil {
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
