package docs

import (
	"regexp"
	"strings"
	"testing"
)

// TestGoVersion: the manual asks for the version of Go that go.mod wants.
func TestGoVersion(t *testing.T) {
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read(t, "go.mod"))[1]
	for name, text := range map[string]string{
		"docs/install.md": "| Go " + version + " or later |",
		"docs/go.md":      "Go " + version + " or later",
	} {
		if !strings.Contains(read(t, name), text) {
			t.Errorf("%s does not say %q", name, text)
		}
	}
}
