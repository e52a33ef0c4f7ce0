package docs

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestMessagesExist: the words of each message that docs/errors.md explains are in the source.
func TestMessagesExist(t *testing.T) {
	const page = "docs/errors.md"
	var source strings.Builder
	for name := range sourceFiles(t) {
		ext := filepath.Ext(name)
		if (ext == ".go" || ext == ".c" || ext == ".h") && !strings.HasSuffix(name, "_test.go") {
			source.WriteString(read(t, name))
		}
	}
	text, messages := source.String(), 0
	for _, row := range firstColumns(read(t, page)) {
		messages++
		for _, words := range strings.Split(strings.Trim(row[0], "` "), "…") {
			words = strings.Trim(words, " :")
			// Words of one letter and marks between two variable parts are everywhere.
			if words != "" && !strings.Contains(text, words) {
				t.Errorf("%s has the message %s, and the source has not %q", page, row[0], words)
			}
		}
	}
	if messages < 30 {
		t.Errorf("%s has %d messages", page, messages)
	}
}
