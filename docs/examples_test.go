package docs

import (
	"strings"
	"testing"
)

// TestExamplesPageShowsTheExamples: all code in C on the page about the examples is code of the examples.
func TestExamplesPageShowsTheExamples(t *testing.T) {
	const page = "docs/examples.md"
	var source strings.Builder
	for name := range sourceFiles(t) {
		if strings.HasPrefix(name, "examples/mixed/") && (strings.HasSuffix(name, ".c") || strings.HasSuffix(name, ".h")) {
			source.WriteString(read(t, name))
		}
	}
	blocks := strings.Split(read(t, page), "```c\n")[1:]
	if len(blocks) == 0 {
		t.Fatalf("%s shows no code", page)
	}
	for _, block := range blocks {
		code, _, ended := strings.Cut(block, "```")
		if !ended {
			t.Fatalf("%s: a block of code does not end", page)
		}
		if !strings.Contains(source.String(), code) {
			t.Errorf("%s shows what is not in the examples:\n%s", page, code)
		}
	}
}
