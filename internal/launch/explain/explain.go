// Package explain adds to a message of a command the place of the manual that explains it.
package explain

import (
	"os"
	"strings"
	"sync"

	"github.com/goacp/goacp/docs"
	"github.com/goacp/goacp/internal/ground/lazyregexp"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// ManualPage is the manual page, in section 7, that is made of docs/errors.md.
const ManualPage = "acp-messages"

// entry is a message of the page.
type entry struct {
	words   []string // its fixed parts, in order
	heading string   // of its table
}

var row = lazyregexp.New("^\\| `([^|]+)` \\|")

// entries reads the page.
var entries = sync.OnceValue(func() []entry {
	var list []entry
	heading := ""
	for line := range strings.Lines(docs.Errors) {
		if title, is := strings.CutPrefix(line, "## "); is {
			heading = strings.TrimSpace(title)
		}
		m := row.Get().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		e := entry{heading: heading}
		for _, part := range strings.Split(m[1], "…") {
			if part = strings.TrimSpace(part); len(part) > 1 { // marks are in every message
				e.words = append(e.words, part)
			}
		}
		list = append(list, e)
	}
	return list
})

// Line returns the message of a command with the place that explains it, if docs/errors.md has an entry for the message and stderr, to which
// the command writes it, is a terminal. Files and other programs get the message alone.
func Line(message string, stderr *os.File) string {
	if !stdio.IsTerminal(stderr) {
		return message
	}
	for _, e := range entries() {
		if e.isIn(message) {
			return message + "; see man " + ManualPage + ", " + e.heading
		}
	}
	return message
}

// isIn reports whether a message has all fixed parts of the entry, in order.
func (e entry) isIn(message string) bool {
	for _, part := range e.words {
		_, rest, found := strings.Cut(message, part)
		if !found {
			return false
		}
		message = rest
	}
	return len(e.words) > 0
}
