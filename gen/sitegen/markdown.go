package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	picture = regexp.MustCompile(`^!\[([^\]]*)\]\((\S+\.svg)\)$`)
	tabName = regexp.MustCompile(`^\*\*(.+)\*\*$`)
	nested  = regexp.MustCompile(`^ {2,3}- `)
)

// convert returns a page as MkDocs reads it, and adds the pages to which it links.
func (s *site) convert(name, text string) (string, error) {
	var b strings.Builder
	var fenced string // the marks that end the present block of code
	tabs, indent := false, ""
	for _, line := range strings.Split(text, "\n") {
		switch {
		case fenced != "":
			if strings.TrimSpace(line) == fenced {
				fenced = ""
			}
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			trimmed := strings.TrimSpace(line)
			fenced = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		case line == "<!-- tabs -->":
			tabs = true
			continue
		case line == "<!-- end of tabs -->":
			tabs, indent = false, ""
			continue
		case tabs && tabName.MatchString(line):
			fmt.Fprintf(&b, "=== %q\n", tabName.FindStringSubmatch(line)[1])
			indent = "    "
			continue
		case picture.MatchString(line):
			m := picture.FindStringSubmatch(line)
			figure, err := s.figure(path.Join(path.Dir(name), m[2]), m[1])
			if err != nil {
				return "", err
			}
			line = figure
		default:
			var err error
			if line, err = s.links(name, line); err != nil {
				return "", err
			}
			if nested.MatchString(line) { // Python-Markdown wants four blanks
				line = "    " + strings.TrimLeft(line, " ")
			}
		}
		if line != "" {
			line = indent + line
		}
		b.WriteString(line + "\n")
	}
	if tabs || fenced != "" {
		return "", fmt.Errorf("tabs or a block of code do not end")
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

// links returns a line of a page with the links of the site.
func (s *site) links(name, line string) (string, error) {
	var failed error
	line = link.ReplaceAllStringFunc(line, func(found string) string {
		target := link.FindStringSubmatch(found)[1]
		if strings.Contains(target, "://") || strings.HasPrefix(target, "#") || strings.HasPrefix(target, "mailto:") {
			return found
		}
		file, anchor, _ := strings.Cut(target, "#")
		to := s.folderPage(path.Join(path.Dir(name), file))
		if path.Ext(to) == ".png" {
			if err := s.copy(strings.TrimPrefix(to, "docs/")); err != nil {
				failed = err
			}
			return found
		}
		if err := s.add(to); err != nil {
			failed = err
			return found
		}
		if anchor != "" {
			anchor = "#" + anchor
		}
		return "](" + relative(inSite(name), inSite(to)) + anchor + ")"
	})
	return line, failed
}

// styles is the part of a picture that gives it the colours of a page of its own. In the site site.css has them.
var styles = regexp.MustCompile(`(?s)<style>.*?</style>\n?`)

// figure returns a picture as a part of a page.
func (s *site) figure(name, alt string) (string, error) {
	text, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil {
		return "", err
	}
	svg := strings.TrimSpace(styles.ReplaceAllString(string(text), ""))
	svg = strings.ReplaceAll(svg, "\n\n", "\n")
	return `<figure class="picture" role="img" aria-label="` + strings.ReplaceAll(alt, `"`, "&quot;") + "\">\n" + svg + "\n</figure>", nil
}
