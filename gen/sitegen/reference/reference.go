// Package reference makes the pages of the site with the functions of the headers in C: what each function does, and its form in C, C++,
// Fortran, Python and Go. The forms come from the headers, from the Fortran modules and from the sources of the packages;
// docs/bindings.md says which belong together.
package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goacp/goacp/gen/cheader"
)

// Page is a page of the reference.
type Page struct {
	Title string
	Name  string // of its file
	Text  string
}

// section is the groups of functions that stand on one page.
type section struct {
	page   Page
	groups []*cheader.Group
	header cheader.Header
}

// form is how a language writes a function, as lines of code.
type form []string

// forms are those of the functions of C in one language, by their names in C.
type forms struct {
	title, language string
	of              map[string][]form
}

// Pages returns the pages for the source tree below root. modules is the folder with the sources of the Fortran modules.
func Pages(root, modules string) ([]Page, error) {
	sections, err := sections(root)
	if err != nil {
		return nil, err
	}
	bindings, err := readBindings(filepath.Join(root, "docs", "bindings.md"))
	if err != nil {
		return nil, err
	}
	languages := []*forms{{"C++", "cpp", nil}, {"Fortran", "fortran", nil}, {"Python", "python", nil}, {"Go", "go", nil}}
	for i, read := range []func() (map[string][]form, error){
		func() (map[string][]form, error) { return cppForms(filepath.Join(root, "lib", "cpp")) },
		func() (map[string][]form, error) { return fortranForms(modules) },
		func() (map[string][]form, error) {
			return pythonForms(filepath.Join(root, "python", "goacp"), bindings)
		},
		func() (map[string][]form, error) { return goForms(root, bindings) },
	} {
		if languages[i].of, err = read(); err != nil {
			return nil, err
		}
	}
	places := map[string]string{} // of functions: page and anchor
	for _, s := range sections {
		for _, g := range s.groups {
			for _, f := range g.Functions {
				places[f.Names[0]] = s.page.Name + "#" + anchor(f)
			}
		}
	}
	var pages []Page
	for _, s := range sections {
		s.page.Text = s.text(languages, places)
		pages = append(pages, s.page)
	}
	return pages, nil
}

// sections returns what is on each page. The sections of the headers of ACP have a page each, and every other library has one.
func sections(root string) ([]*section, error) {
	var all []*section
	byTitle := map[string]*section{}
	for _, h := range cheader.All {
		text, err := os.ReadFile(filepath.Join(root, h.Path))
		if err != nil {
			return nil, err
		}
		_, groups, err := cheader.Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.Path, err)
		}
		for _, g := range groups {
			title := strings.TrimPrefix(g.Section, "Additions of GoACP: ")
			switch {
			case h.Library != "acp":
				title = map[string]string{"gp": "Global pointer arrays", "armci": "ARMCI", "dmi": "DMI"}[h.Library]
			case title == "":
				title = "Types and constants"
			}
			title = strings.ToUpper(title[:1]) + title[1:]
			key := h.Include + title
			if h.Library == "armci" {
				key = h.Library
			}
			s := byTitle[key]
			if s == nil {
				s = &section{header: h, page: Page{Title: title, Name: slug(h.Library + " " + title)}}
				if h.Name == "acp_couple" {
					s.page.Name = slug("couple " + title)
					s.page.Title = "Coupling: " + strings.ToLower(title[:1]) + title[1:]
				}
				byTitle[key] = s
				all = append(all, s)
			}
			s.groups = append(s.groups, g)
		}
	}
	return all, nil
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// slug returns the name of the file of a page.
func slug(title string) string {
	return strings.Trim(notWord.ReplaceAllString(strings.ToLower(title), "-"), "-") + ".md"
}

// anchor returns the place of a function on its page.
func anchor(f cheader.Function) string { return strings.ToLower(f.Names[0]) }

// text returns the page of a section.
func (s *section) text(languages []*forms, places map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nThis page is for programmers who look up a function: what it does, and how C, C++, Fortran, Python and Go write it.\n"+
		"In C it is declared in `%s`.\n", s.page.Title, s.header.Include)
	for _, g := range s.groups {
		if len(g.Functions) == 0 {
			b.WriteString("\n" + prose(g.Comment, s.page.Name, places))
			writeBlock(&b, "c", append(slices.Concat(g.Types...), g.Constants...), "")
			continue
		}
		var names, lines []string
		for _, f := range g.Functions {
			names = append(names, "`"+f.Names[0]+"`")
			lines = append(lines, folded(f.Declaration)...)
		}
		b.WriteString("\n")
		if len(names) > 1 {
			for _, f := range g.Functions {
				fmt.Fprintf(&b, "<span id=%q></span>", anchor(f))
			}
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "## %s\n\n", strings.Join(names, ", "))
		tabs := tabsOf(g, languages)
		if len(tabs) == 0 {
			writeBlock(&b, "c", lines, "")
		} else {
			b.WriteString("=== \"C\"\n")
			writeBlock(&b, "c", lines, "    ")
			for _, tab := range tabs {
				fmt.Fprintf(&b, "\n=== %q\n", tab.title)
				writeBlock(&b, tab.language, tab.lines, "    ")
			}
		}
		if types := append(slices.Concat(g.Types...), g.Constants...); len(types) > 0 {
			writeBlock(&b, "c", types, "")
		}
		b.WriteString("\n" + prose(g.Comment, s.page.Name, places))
	}
	return b.String()
}

// tab is what one language has for the functions of a group.
type tab struct {
	title, language string
	lines           []string
}

// tabsOf returns those of the languages that have something.
func tabsOf(g *cheader.Group, languages []*forms) []tab {
	var tabs []tab
	for _, l := range languages {
		var lines []string
		place := ""
		seen := map[string]bool{}
		for _, f := range g.Functions {
			for _, form := range l.of[f.Names[0]] {
				if key := strings.Join(form, "\n"); !seen[key] {
					seen[key] = true
					if form[0] == place { // the line that says where it belongs to
						form = form[1:]
					} else {
						place = form[0]
					}
					lines = append(lines, form...)
				}
			}
		}
		if lines != nil {
			tabs = append(tabs, tab{l.title, l.language, lines})
		}
	}
	return tabs
}

// writeBlock writes a block of code, indented.
func writeBlock(b *strings.Builder, language string, lines []string, indent string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s```%s\n", indent, language)
	for _, l := range lines {
		if l != "" {
			l = indent + l
		}
		b.WriteString(l + "\n")
	}
	b.WriteString(indent + "```\n")
}

// folded cuts a declaration into lines that fit the page.
func folded(declaration string) []string { return cheader.Fold(declaration, 96) }
