package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goacp/goacp/gen/cheader"
)

// headerPages writes a page for each function and for each header.
func headerPages(root string, files map[string]string) error {
	overviews := map[string]*overview{}
	var order []*overview
	known := map[string]bool{}
	type parsed struct {
		cheader.Header
		groups []*cheader.Group
	}
	var all []parsed
	for _, h := range cheader.All {
		text, err := os.ReadFile(filepath.Join(root, h.Path))
		if err != nil {
			return err
		}
		top, groups, err := cheader.Parse(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", h.Path, err)
		}
		all = append(all, parsed{h, groups})
		if h.Parent == "" {
			o := &overview{Header: h, top: top}
			overviews[h.Name] = o
			order = append(order, o)
		}
		o := overviews[h.Parent+h.Name]
		o.groups = append(o.groups, groups...)
		for _, g := range groups {
			for _, f := range g.Functions {
				known[f.Names[0]] = true
			}
			if len(g.Comment) == 0 && len(g.Functions) > 0 { // the header says it for all of them
				g.Comment = top
			}
		}
	}
	for _, p := range all {
		for _, g := range p.groups {
			if len(g.Functions) > 0 {
				writeGroup(g, p.Header, known, neighbours(p.groups, g), files)
			}
		}
	}
	for _, o := range order {
		o.write(known, files)
	}
	return nil
}

// neighbours are the first functions of other groups of the same section.
func neighbours(groups []*cheader.Group, of *cheader.Group) []string {
	var names []string
	here := slices.Index(groups, of)
	for i, g := range groups {
		if i != here && g.Section == of.Section && len(g.Functions) > 0 && i-here < 6 && here-i < 6 {
			names = append(names, g.Functions[0].Names[0])
		}
	}
	return names
}

var context = regexp.MustCompile(`^(Any process|Any rank|Collective|Local|The (sender|receiver|owner|ranks|processes)|All |Ranks? |Each )[^.]*\. .*(Blocks|Does not block|block|wait)`)

// writeGroup writes the page of a group, and links for its other names.
func writeGroup(g *cheader.Group, h cheader.Header, known map[string]bool, others []string, files map[string]string) {
	var names []string
	for _, f := range g.Functions {
		names = append(names, f.Names...)
	}
	p := newPage(names[0], 3, names, summary(g.Comment, names))
	p.heading("Synopsis")
	lines := []string{"#include <" + h.Include + ">", ""}
	for _, f := range g.Functions {
		lines = append(lines, cheader.Fold(strings.TrimSpace(f.Declaration+" "+f.Note), 72)...)
	}
	p.verbatim(lines)
	p.heading("Description")
	parts := cheader.Paragraphs(g.Comment)
	var returns [][]string
	var last []string
	if n := len(parts); n > 1 && context.MatchString(strings.Join(parts[n-1], " ")) {
		last, parts = parts[n-1], parts[:n-1]
	}
	if i := slices.IndexFunc(parts, func(lines []string) bool { return strings.HasPrefix(lines[0], "Returns ") }); i > 0 {
		returns = parts[i : i+1]
		parts = slices.Concat(parts[:i], parts[i+1:])
	}
	prose := func(list [][]string) {
		for _, lines := range list {
			p.commented(lines, known, names)
		}
	}
	prose(parts)
	if returns != nil {
		p.heading("Return value")
		prose(returns)
	}
	if slices.ContainsFunc(g.Functions, func(f cheader.Function) bool { return len(f.Names) > 1 }) {
		p.paragraph(plain("The names that begin with PARMCI_ are those for profilers: a program may define the other ones itself and call these."))
	}
	if last != nil {
		p.heading("Notes")
		prose([][]string{last})
	}
	p.heading("See also")
	seeAlso := []string{bold(h.Parent+h.Name) + "(7)"}
	for _, o := range others {
		seeAlso = append(seeAlso, bold(o)+"(3)")
	}
	p.paragraph(strings.Join(seeAlso, ", "))
	p.add(files)
	for _, name := range names[1:] {
		addLink(files, name, names[0], 3)
	}
}

// commented writes a paragraph of a comment. Indented lines are kept as they are.
func (p *page) commented(lines []string, known map[string]bool, own []string) {
	for len(lines) > 0 {
		indented := strings.HasPrefix(lines[0], "   ")
		n := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "   ") != indented })
		if n < 0 {
			n = len(lines)
		}
		if indented {
			p.verbatim(unindented(lines[:n]))
		} else {
			p.paragraph(withNames(strings.Join(lines[:n], " "), known, own))
		}
		lines = lines[n:]
	}
}

// unindented takes off the blanks with which all lines begin.
func unindented(lines []string) []string {
	least := 99
	for _, l := range lines {
		least = min(least, len(l)-len(strings.TrimLeft(l, " ")))
	}
	var list []string
	for _, l := range lines {
		list = append(list, l[least:])
	}
	return list
}

var word = regexp.MustCompile(`\w+`)

// withNames returns prose in which the names of functions are bold, with the section of those that have another page.
func withNames(text string, known map[string]bool, own []string) string {
	text = plain(text)
	return word.ReplaceAllStringFunc(text, func(w string) string {
		switch {
		case slices.Contains(own, w):
			return `\fB` + w + `\fP`
		case known[w]:
			return `\fB` + w + `\fP(3)`
		}
		return w
	})
}

// summary returns the first sentence of the comment of functions without its full stop.
func summary(lines, names []string) string {
	text := strings.Join(cheader.Paragraphs(lines)[0], " ")
	if i := strings.Index(text+" ", ". "); i >= 0 {
		text = text[:i]
	}
	text, _, _ = strings.Cut(text, ":")
	first := word.FindString(text)
	if slices.ContainsFunc(names, func(n string) bool { return n == first || strings.Contains(n, "_"+first) }) || strings.ToUpper(first) == first && len(first) > 1 {
		return text // a name
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// overview is the page of a header.
type overview struct {
	cheader.Header
	top    []string
	groups []*cheader.Group
}

func (o *overview) write(known map[string]bool, files map[string]string) {
	p := newPage(o.Name, 7, []string{o.Name}, o.About)
	p.heading("Synopsis")
	packages := o.Library
	compile := map[string]string{"acp": "acpcc program.c -o program", "dmi": "dmicc program.c -o program"}[packages]
	if compile == "" {
		compile = "acpcc program.c -o program -l" + packages
	}
	p.verbatim([]string{
		"#include <" + o.Include + ">", "", compile,
		"cc program.c -o program $(pkg-config --cflags --libs " + packages + ")",
	})
	p.heading("Description")
	for i, lines := range cheader.Paragraphs(o.top) {
		if i == 0 { // the name of the file
			_, first, found := strings.Cut(lines[0], " - ")
			if found {
				lines = append([]string{first}, lines[1:]...)
			}
		}
		p.commented(lines, known, nil)
	}
	p.heading("Types, variables and constants")
	for _, g := range o.groups {
		lines := slices.Concat(g.Types...)
		lines = append(lines, g.Constants...)
		if len(lines) == 0 {
			continue
		}
		if len(g.Functions) == 0 {
			for _, comment := range cheader.Paragraphs(g.Comment) {
				p.commented(comment, known, nil)
			}
		}
		p.verbatim(lines)
	}
	p.heading("Functions")
	section := "\x00"
	for _, g := range o.groups {
		if len(g.Functions) == 0 {
			continue
		}
		if g.Section != section && g.Section != "" {
			p.subheading(g.Section)
		}
		section = g.Section
		var names, own []string
		for _, f := range g.Functions {
			names = append(names, bold(f.Names[0])+"(3)")
			own = append(own, f.Names[0])
		}
		p.item(strings.Join(names, ", "), plain(summary(g.Comment, own)))
	}
	p.heading("See also")
	var others []string
	for _, h := range cheader.All {
		if h.Parent == "" && h.Name != o.Name {
			others = append(others, bold(h.Name)+"(7)")
		}
	}
	p.paragraph(strings.Join(append(others, bold("acp-environment")+"(7)", bold("acpcc")+"(1)", bold("acprun")+"(1)"), ", "))
	p.add(files)
}
