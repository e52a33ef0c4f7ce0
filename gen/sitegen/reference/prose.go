package reference

import (
	"regexp"
	"strings"

	"github.com/goacp/goacp/gen/cheader"
)

var (
	// codeWord is what a comment says as a program would.
	codeWord = regexp.MustCompile(`\bdocs/[\w-]+\.md\b|\*?\b[A-Za-z]\w*_\w*\b(?:\(\))?|\*\w+\b|\b[\w.]+\.(?:h|hpp|md|mtx)\b|\bNULL\b|\bE[A-Z]{3,}\b`)
	escapes  = strings.NewReplacer("*", `\*`, "<", "&lt;", "[", `\[`, "_", `\_`)
)

// prose returns a comment as Markdown, on a page whose name it has. Functions with a place are links to it.
func prose(comment []string, page string, places map[string]string) string {
	var b strings.Builder
	for _, lines := range cheader.Paragraphs(comment) {
		indented := false
		for i, line := range lines {
			is := strings.HasPrefix(line, "   ")
			if is != indented {
				if i > 0 || is {
					b.WriteString(map[bool]string{true: "\n```\n", false: "```\n\n"}[is])
				}
				indented = is
			}
			if is {
				b.WriteString(strings.TrimPrefix(line, "   ") + "\n")
			} else {
				b.WriteString(marked(line, page, places) + "\n")
			}
		}
		if indented {
			b.WriteString("```\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// marked returns a line of prose with its words of code.
func marked(line, page string, places map[string]string) string {
	var b strings.Builder
	at := 0
	for _, m := range codeWord.FindAllStringIndex(line, -1) {
		b.WriteString(escapes.Replace(line[at:m[0]]))
		word := line[m[0]:m[1]]
		at = m[1]
		if page, found := strings.CutPrefix(word, "docs/"); found {
			b.WriteString("[" + page + "](../" + page + ")")
			continue
		}
		if word[0] == '*' && m[0] > 0 && line[m[0]-1] != ' ' && line[m[0]-1] != '(' { // a product
			b.WriteString(escapes.Replace(word))
			continue
		}
		place, known := places[strings.TrimSuffix(word, "()")]
		if known {
			place = strings.TrimPrefix(place, page)
			b.WriteString("[`" + word + "`](" + place + ")")
		} else {
			b.WriteString("`" + word + "`")
		}
	}
	b.WriteString(escapes.Replace(line[at:]))
	text := b.String()
	if strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "#") {
		text = `\` + text
	}
	return text
}
