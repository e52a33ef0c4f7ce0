package docs

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// followers are the tests that execute the commands of pages and compare their output.
var followers = []string{"tests/manual_test.go", "tests/guides_test.go", "tests/python_test.go", "lib/acp/cpp_test.go"}

// notExecuted are pages whose commands no test executes, with the reason.
var notExecuted = map[string]string{
	"docs/fortran.md": "TestFortranCoupled runs these models of examples/mixed",
}

var commandBlock = regexp.MustCompile("(?m)^```(?:sh)?\n\\$ ")

// TestCommandsAreExecuted: a test executes the commands of each page that shows them with a prompt.
func TestCommandsAreExecuted(t *testing.T) {
	var named []string
	for _, file := range followers {
		for _, m := range pageOfTest.FindAllStringSubmatch(read(t, file), -1) {
			named = append(named, m[1])
		}
	}
	executed := 0
	for _, p := range pages(t) {
		shows, followed := commandBlock.MatchString(p.text), slices.Contains(named, path.Base(p.name))
		switch reason := notExecuted[p.name]; {
		case reason != "" && (!shows || followed):
			t.Errorf("%s needs no exception: %s", p.name, reason)
		case reason != "" || !shows:
		case !followed:
			t.Errorf("%s has commands, and none of %s names the page", p.name, strings.Join(followers, ", "))
		default:
			executed++
		}
	}
	if executed < 10 {
		t.Errorf("%d pages have commands that are executed", executed)
	}
}
