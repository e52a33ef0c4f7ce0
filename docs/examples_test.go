package docs

import (
	"strings"
	"testing"
)

// TestExamplesPageShowsTheExamples: all code in C and Go on the page about the examples is code of the examples.
func TestExamplesPageShowsTheExamples(t *testing.T) {
	const page = "docs/examples.md"
	var source strings.Builder
	for name := range sourceFiles(t) {
		if strings.HasPrefix(name, "examples/mixed/") && (strings.HasSuffix(name, ".c") || strings.HasSuffix(name, ".h") || strings.HasSuffix(name, ".go")) {
			source.WriteString(read(t, name))
		}
	}
	text := read(t, page)
	blocks := append(strings.Split(text, "```c\n")[1:], strings.Split(text, "```go\n")[1:]...)
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
