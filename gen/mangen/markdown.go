package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// markdown writes a section of a page in docs: what stands below the heading, and the sections in it. An empty heading
// stands for the text above the first section.
func (p *page) markdown(root, file, heading string) error {
	text, err := os.ReadFile(filepath.Join(root, "docs", file))
	if err != nil {
		return err
	}
	lines, err := sectionOf(strings.Split(string(text), "\n"), heading)
	if err != nil {
		return fmt.Errorf("docs/%s: %w", file, err)
	}
	for len(lines) > 0 {
		n := p.block(lines)
		lines = lines[n:]
	}
	return nil
}

// sectionOf returns the lines below a heading.
func sectionOf(lines []string, heading string) ([]string, error) {
	var found []string
	inside, fenced := heading == "", false
	level := strings.IndexByte(heading+" ", ' ')
	for _, l := range lines {
		if strings.HasPrefix(l, "```") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(l, "#") {
			marks := strings.IndexByte(l, ' ')
			switch {
			case heading == "" && marks == 1:
				continue
			case heading != "" && l == heading:
				inside = true
				continue
			case inside && (heading == "" || marks <= level):
				return found, nil
			}
		}
		if inside {
			found = append(found, l)
		}
	}
	if !inside {
		return nil, fmt.Errorf("no heading %q", heading)
	}
	return found, nil
}

var listItem = regexp.MustCompile(`^(\*|-|\d+\.) +`)

// block writes the block at the beginning of lines, and returns how many lines it has.
func (p *page) block(lines []string) int {
	first := lines[0]
	switch {
	case first == "", strings.HasPrefix(first, "<!--"):
		return 1
	case strings.HasPrefix(first, "```"):
		end := 1
		for end < len(lines) && !strings.HasPrefix(lines[end], "```") {
			end++
		}
		p.verbatim(lines[1:end])
		return min(end+1, len(lines))
	case strings.HasPrefix(first, "#"):
		p.subheading(strings.TrimLeft(first, "# "))
		return 1
	case strings.HasPrefix(first, "|"):
		end := 0
		for end < len(lines) && strings.HasPrefix(lines[end], "|") {
			end++
		}
		p.table(lines[:end])
		return end
	case listItem.MatchString(first):
		end := 1
		text := listItem.ReplaceAllString(first, "")
		for end < len(lines) && lines[end] != "" && !listItem.MatchString(lines[end]) {
			text += " " + lines[end]
			end++
		}
		p.item(`\(bu`, markdownText(text))
		return end
	}
	end := 1
	for end < len(lines) && lines[end] != "" && !strings.HasPrefix(lines[end], "```") && !strings.HasPrefix(lines[end], "|") && !listItem.MatchString(lines[end]) {
		end++
	}
	p.paragraph(markdownText(strings.Join(lines[:end], " ")))
	return end
}

// table writes a table as a list: the first column has the terms. Columns behind the second one have their heads.
func (p *page) table(lines []string) {
	heads := cells(lines[0])
	for _, l := range lines[2:] {
		row := cells(l)
		text := ""
		for i, c := range row[1:] {
			if c == "" {
				continue
			}
			if text != "" {
				text += "; "
			}
			if len(row) > 2 && i+1 < len(heads) {
				text += heads[i+1] + ": "
			}
			text += c
		}
		p.item(markdownText(row[0]), markdownText(text))
	}
}

var cellEnd = regexp.MustCompile(`[^\\]\|`)

// cells returns the cells of a row.
func cells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	var row []string
	for {
		at := cellEnd.FindStringIndex(line)
		if at == nil {
			return append(row, strings.TrimSpace(strings.ReplaceAll(line, `\|`, "|")))
		}
		row = append(row, strings.TrimSpace(strings.ReplaceAll(line[:at[0]+1], `\|`, "|")))
		line = line[at[1]:]
	}
}

var (
	link     = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)
	emphasis = regexp.MustCompile(`\*([^* ][^*]*)\*`)
)

// markdownText returns a paragraph in the notation of roff: code is bold, and links are their text.
func markdownText(text string) string {
	text = link.ReplaceAllString(text, "$1")
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			b.WriteString(bold(part))
			continue
		}
		part = strings.NewReplacer("**", "", "<https://", "https://").Replace(part)
		b.WriteString(emphasis.ReplaceAllString(plain(part), `\fI$1\fP`))
	}
	return b.String()
}
