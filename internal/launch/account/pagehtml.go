package account

import (
	"fmt"
	"html"
	"strings"
)

// The page is filled without a package of templates. These find methods by their names, so the linker would keep all methods of the
// launchers: a fifth of their bytes.

// column is a column of a table of the page. kind is that of its cells.
type column struct {
	name string
	kind cellKind
}

type cellKind int

const (
	text cellKind = iota
	number
	code
)

// pageTable is a table of the page.
type pageTable struct {
	id      string // "" = none
	columns []column
	rows    [][]string
	strong  func(row int) bool // which rows are those of a whole job; nil: none
}

// html returns the table.
func (t *pageTable) html() string {
	var b strings.Builder
	b.WriteString(`<div class="scroll"><table`)
	if t.id != "" {
		fmt.Fprintf(&b, ` id="%s"`, t.id)
	}
	b.WriteString(">\n<tr>")
	for _, c := range t.columns {
		cell(&b, "th", c.kind == number, html.EscapeString(c.name))
	}
	b.WriteString("</tr>\n")
	for i, row := range t.rows {
		b.WriteString("<tr")
		if t.strong != nil && t.strong(i) {
			b.WriteString(` class="all"`)
		}
		b.WriteString(">")
		for k, value := range row {
			value = html.EscapeString(value)
			if t.columns[k].kind == code {
				value = "<code>" + value + "</code>"
			}
			cell(&b, "td", t.columns[k].kind == number, value)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>")
	return b.String()
}

// cell writes a cell, whose content is HTML.
func cell(b *strings.Builder, tag string, isNumber bool, content string) {
	class := ""
	if isNumber {
		class = ` class="number"`
	}
	fmt.Fprintf(b, "<%s%s>%s</%s>", tag, class, content, tag)
}

// orElse returns the table, or a paragraph if it has no rows.
func (t *pageTable) orElse(paragraph string) string {
	if len(t.rows) == 0 {
		return `<p class="soft">` + html.EscapeString(paragraph) + "</p>"
	}
	return t.html()
}

// under returns the table under a heading, or nothing if it has no rows.
func (t *pageTable) under(heading string) string {
	if len(t.rows) == 0 {
		return ""
	}
	return "<h2>" + html.EscapeString(heading) + "</h2>\n" + t.html()
}

// paragraphs returns a paragraph of a class for each line.
func paragraphs(class string, lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		if line != "" {
			fmt.Fprintf(&b, "<p class=\"%s\">%s</p>\n", class, html.EscapeString(line))
		}
	}
	return b.String()
}
