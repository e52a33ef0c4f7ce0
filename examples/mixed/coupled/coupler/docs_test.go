package coupler

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocsShowTheExample checks that all C code of the guide is code of the examples.
func TestDocsShowTheExample(t *testing.T) {
	const guide = "../../../../docs/examples.md"
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	files, err1 := filepath.Glob("../*.[ch]")
	others, err2 := filepath.Glob("../../*.[ch]")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, f := range append(files, others...) {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(content)
	}
	blocks := strings.Split(string(text), "```c\n")[1:]
	if len(blocks) == 0 {
		t.Fatalf("%s shows no code", guide)
	}
	for _, block := range blocks {
		code, _, ended := strings.Cut(block, "```")
		if !ended {
			t.Fatalf("%s: a block of code does not end", guide)
		}
		if !strings.Contains(source.String(), code) {
			t.Errorf("%s shows what is not in the example:\n%s", guide, code)
		}
	}
}
