package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// header is a header for users.
type header struct {
	path, include string
	name          string // of its page in section 7
	about         string
	parent        string // the header that includes this one; its page of section 7 is that of both
	library       string
}

var headers = []header{
	{path: "lib/acp/acp.h", include: "acp.h", name: "acp", about: "Advanced Communication Primitives", library: "acp"},
	{path: "lib/acp/acp_couple.h", include: "acp_couple.h", name: "acp_couple", about: "coupling of programs", library: "acp"},
	{path: "lib/gp/gp.h", include: "gp.h", name: "gp", about: "global pointer arrays", library: "gp"},
	{path: "lib/armci/armci.h", include: "armci.h", name: "armci", about: "one-sided operations of ARMCI", library: "armci"},
	{path: "lib/armci/armci_group.h", include: "armci.h", parent: "armci", library: "armci"},
	{path: "lib/armci/armci_msg.h", include: "armci.h", parent: "armci", library: "armci"},
	{path: "lib/armci/armcix.h", include: "armcix.h", parent: "armci", library: "armci"},
	{path: "lib/dmi/dmi_api.h", include: "dmi_api.h", name: "dmi", about: "global memory with pages for threads", library: "dmi"},
	{path: "lib/armci/armci_iterator.h", include: "armci_iterator.h", parent: "armci", library: "armci"},
}

// group is the declarations below one comment.
type group struct {
	section   string
	comment   []string // lines without the marks of the comment
	functions []function
	types     [][]string // declarations of types, as they are
	constants []string   // directives, as they are
}

// function is a declared function.
type function struct {
	names       []string // more than one if a macro declares it twice
	declaration string
	note        string // the comment behind it, with its marks
}

var (
	headingLine = regexp.MustCompile(`^/\* -+ (.+?) -+ \*/$`)
	prototype   = regexp.MustCompile(`^[\w][\w \*]*?[ \*]\(?(\w+)\)?\(`)
	both        = regexp.MustCompile(`^ARMCI_BOTH_\(([^,]+), (\w+), *(\(.*\))\)$`)
	parameters  = regexp.MustCompile(`^#define (\w+_) +\\ +(.*)$`) // a macro for several parameters
	constant    = regexp.MustCompile(`^#define [A-Z]\w+ +\S`)
	blanks      = regexp.MustCompile(`\s+`)
)

// parseHeader returns the comment at the top of a header, and its declarations.
func parseHeader(text string) (top []string, groups []*group, err error) {
	lines := strings.Split(text, "\n")
	current := &group{}
	groups = append(groups, current)
	section := ""
	var outside []*group // the groups at the directives that begin conditions
	macros := map[string]string{}
	begin := func(comment []string) {
		current = &group{section: section, comment: comment}
		groups = append(groups, current)
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "/*"):
			first := i
			for !strings.Contains(lines[i], "*/") {
				i++
			}
			comment := commentText(lines[first : i+1])
			if m := headingLine.FindStringSubmatch(line); m != nil {
				section = m[1]
				begin(nil)
			} else if top == nil {
				top = comment
			} else {
				begin(comment)
			}
		case strings.HasPrefix(line, "#"):
			first := i
			for strings.HasSuffix(lines[i], `\`) {
				i++
			}
			switch m := parameters.FindStringSubmatch(strings.Join(lines[first:i+1], " ")); {
			case strings.HasPrefix(line, "#if"):
				outside = append(outside, current)
			case strings.HasPrefix(line, "#endif") && len(outside) > 0:
				// A comment under a condition is not that of what follows the condition.
				current, outside = outside[len(outside)-1], outside[:len(outside)-1]
			case m != nil:
				macros[m[1]] = strings.Join(strings.Fields(strings.ReplaceAll(m[2], `\`, " ")), " ")
			case i == first && constant.MatchString(line) && !strings.Contains(line, "(type, ...)"):
				current.constants = append(current.constants, line)
			}
		case line == "" || line == "}" || strings.HasPrefix(line, `extern "C"`):
		default:
			first := i
			for !ends(strings.Join(lines[first:i+1], "\n")) {
				if i++; i == len(lines) {
					return nil, nil, fmt.Errorf("no end of the declaration %q", line)
				}
			}
			if err := current.declare(lines[first:i+1], macros); err != nil {
				return nil, nil, err
			}
		}
	}
	groups = slices.DeleteFunc(groups, func(g *group) bool { return len(g.functions)+len(g.types)+len(g.constants) == 0 })
	return top, groups, nil
}

var comments = regexp.MustCompile(`(?s)/\*.*?\*/`)

// ends reports whether a declaration is complete.
func ends(text string) bool {
	text = comments.ReplaceAllString(text, "")
	return strings.Count(text, "{") == strings.Count(text, "}") && strings.HasSuffix(strings.TrimSpace(text), ";")
}

// declare adds a declaration to the group. Macros are lists of parameters.
func (g *group) declare(lines []string, macros map[string]string) error {
	declaration := strings.TrimSpace(blanks.ReplaceAllString(comments.ReplaceAllString(strings.Join(lines, " "), " "), " "))
	switch {
	case strings.HasPrefix(declaration, "typedef"), strings.HasPrefix(declaration, "enum"), strings.HasPrefix(declaration, "struct"), strings.HasPrefix(declaration, "extern"):
		g.types = append(g.types, lines)
		return nil
	}
	declaration = strings.TrimSuffix(declaration, ";")
	for name, text := range macros {
		declaration = strings.ReplaceAll(declaration, name, text)
	}
	if m := both.FindStringSubmatch(declaration); m != nil {
		result := m[1]
		if !strings.HasSuffix(result, "*") {
			result += " "
		}
		g.functions = append(g.functions, function{
			names:       []string{"ARMCI_" + m[2], "PARMCI_" + m[2]},
			declaration: result + "ARMCI_" + m[2] + strings.ReplaceAll(m[3], "* ", "*") + ";",
		})
		return nil
	}
	m := prototype.FindStringSubmatch(declaration)
	if m == nil {
		return fmt.Errorf("no rule for %q", declaration)
	}
	f := function{names: []string{m[1]}, declaration: declaration + ";"}
	if _, note, found := strings.Cut(lines[len(lines)-1], "/*"); found {
		f.note = "/*" + note
	}
	g.functions = append(g.functions, f)
	return nil
}

// commentText returns the lines of a comment without its marks.
func commentText(lines []string) []string {
	var text []string
	for _, l := range lines {
		l = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(l), "/*"), "*/")
		l = strings.TrimSuffix(l, "*/")
		l = strings.TrimPrefix(strings.TrimPrefix(l, "*"), " ")
		text = append(text, strings.TrimRight(l, " "))
	}
	for len(text) > 0 && text[0] == "" {
		text = text[1:]
	}
	for len(text) > 0 && text[len(text)-1] == "" {
		text = text[:len(text)-1]
	}
	return text
}

// paragraphs cuts text at empty lines.
func paragraphs(lines []string) [][]string {
	var list [][]string
	var current []string
	for _, l := range append(lines, "") {
		if l != "" {
			current = append(current, l)
		} else if current != nil {
			list = append(list, current)
			current = nil
		}
	}
	return list
}
