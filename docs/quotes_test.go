package docs

import (
	"regexp"
	"testing"
)

// quote is a file of the sources that a page shows.
var quote = regexp.MustCompile("(?s)<!-- quote (\\S+) -->\n```go\n(.*?)```\n")

// TestQuotesAreCurrent: the files that pages quote have the text that they show.
func TestQuotesAreCurrent(t *testing.T) {
	quotes := 0
	for _, p := range pages(t) {
		for _, m := range quote.FindAllStringSubmatch(p.text, -1) {
			quotes++
			if read(t, m[1]) != m[2] {
				t.Errorf("%s shows another text than %s has", p.name, m[1])
			}
		}
	}
	if quotes == 0 {
		t.Error("no page quotes a file")
	}
}
