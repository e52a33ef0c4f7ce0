package docs

import (
	"regexp"
	"strings"
	"testing"
)

var (
	emptyLines = regexp.MustCompile(`\n[ \t]*\n`)
	// noParagraph begins headings, lists, tables, pictures, tabs and comments.
	noParagraph = regexp.MustCompile(`^\s*([-*|#>!<]|\d+\.)`)
)

// TestParagraphsAreShort: a paragraph of the manual has at most seven lines, and the first one of a page says what the page is for.
func TestParagraphsAreShort(t *testing.T) {
	const most = 7
	for _, p := range pages(t) {
		first := true
		for _, text := range emptyLines.Split(p.prose(), -1) {
			text = strings.TrimSpace(text)
			if text == "" || noParagraph.MatchString(text) {
				continue
			}
			if n := strings.Count(text, "\n") + 1; n > most {
				t.Errorf("%s has a paragraph of %d lines, expected at most %d:\n%s", p.name, n, most, text)
			}
			if first && p.name != "README.md" && !strings.Contains(text, "This page ") && !strings.Contains(text, "This tutorial ") {
				t.Errorf("%s begins without what it is for:\n%s", p.name, text)
			}
			first = false
		}
	}
}
