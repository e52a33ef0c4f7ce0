//go:build cgo

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The program in docs/c-api.md compiles and does what it says.
func TestDocumentedProgram(t *testing.T) {
	text, err := os.ReadFile("../../docs/c-api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```c\n")
	source, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("there is no program in docs/c-api.md")
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path+".c", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := command("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", path+".c", needArchive(t), "-o", path); err != nil {
		t.Fatal(err)
	}
	const procs = 3
	for r, e := range together(t, procs, nil, path) {
		want := fmt.Sprintf("rank %d of %d: before me is rank %d\n", r, procs, (r+procs-1)%procs)
		if e != (ended{stdout: want}) {
			t.Errorf("rank %d: %v, expected %q", r, e, want)
		}
	}
}
