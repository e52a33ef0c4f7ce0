// Package cheader reads the headers in C that are for users: their declarations, each with its comment. Manual pages and the reference of
// the site are made of them.
package cheader

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Header is a header for users.
type Header struct {
	Path, Include string
	Name          string // of its page in section 7
	About         string
	Parent        string // the header that includes this one; its page of section 7 is that of both
	Library       string
}

// All are the headers for users.
var All = []Header{
	{Path: "lib/acp/acp.h", Include: "acp.h", Name: "acp", About: "Advanced Communication Primitives", Library: "acp"},
	{Path: "lib/acp/acp_couple.h", Include: "acp_couple.h", Name: "acp_couple", About: "coupling of programs", Library: "acp"},
	{Path: "lib/gp/gp.h", Include: "gp.h", Name: "gp", About: "global pointer arrays", Library: "gp"},
	{Path: "lib/armci/armci.h", Include: "armci.h", Name: "armci", About: "one-sided operations of ARMCI", Library: "armci"},
	{Path: "lib/armci/armci_group.h", Include: "armci.h", Parent: "armci", Library: "armci"},
	{Path: "lib/armci/armci_msg.h", Include: "armci.h", Parent: "armci", Library: "armci"},
	{Path: "lib/armci/armcix.h", Include: "armcix.h", Parent: "armci", Library: "armci"},
	{Path: "lib/dmi/dmi_api.h", Include: "dmi_api.h", Name: "dmi", About: "global memory with pages for threads", Library: "dmi"},
	{Path: "lib/armci/armci_iterator.h", Include: "armci_iterator.h", Parent: "armci", Library: "armci"},
}

// Group is the declarations below one comment.
type Group struct {
	Section   string
	Comment   []string // lines without the marks of the comment
	Functions []Function
	Types     [][]string // declarations of types, as they are
	Constants []string   // directives, as they are
}

// Function is a declared function.
type Function struct {
	Names       []string // more than one if a macro declares it twice
	Declaration string
	Note        string // the comment behind it, with its marks
}

var (
	headingLine = regexp.MustCompile(`^/\* -+ (.+?) -+ \*/$`)
	prototype   = regexp.MustCompile(`^[\w][\w \*]*?[ \*]\(?(\w+)\)?\(`)
	both        = regexp.MustCompile(`^ARMCI_BOTH_\(([^,]+), (\w+), *(\(.*\))\)$`)
	parameters  = regexp.MustCompile(`^#define (\w+_) +\\ +(.*)$`) // a macro for several parameters
	constant    = regexp.MustCompile(`^#define [A-Z]\w+ +\S`)
	blanks      = regexp.MustCompile(`\s+`)
)

// Parse returns the comment at the top of a header, and its declarations.
func Parse(text string) (top []string, groups []*Group, err error) {
	lines := strings.Split(text, "\n")
	current := &Group{}
	groups = append(groups, current)
	section := ""
	var outside []*Group // the groups at the directives that begin conditions
	macros := map[string]string{}
	begin := func(comment []string) {
		current = &Group{Section: section, Comment: comment}
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
				current.Constants = append(current.Constants, line)
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
	groups = slices.DeleteFunc(groups, func(g *Group) bool { return len(g.Functions)+len(g.Types)+len(g.Constants) == 0 })
	return top, groups, nil
}

var comments = regexp.MustCompile(`(?s)/\*.*?\*/`)

// ends reports whether a declaration is complete.
func ends(text string) bool {
	text = comments.ReplaceAllString(text, "")
	return strings.Count(text, "{") == strings.Count(text, "}") && strings.HasSuffix(strings.TrimSpace(text), ";")
}

// declare adds a declaration to the group. Macros are lists of parameters.
func (g *Group) declare(lines []string, macros map[string]string) error {
	declaration := strings.TrimSpace(blanks.ReplaceAllString(comments.ReplaceAllString(strings.Join(lines, " "), " "), " "))
	switch {
	case strings.HasPrefix(declaration, "typedef"), strings.HasPrefix(declaration, "enum"), strings.HasPrefix(declaration, "struct"), strings.HasPrefix(declaration, "extern"):
		g.Types = append(g.Types, lines)
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
		g.Functions = append(g.Functions, Function{
			Names:       []string{"ARMCI_" + m[2], "PARMCI_" + m[2]},
			Declaration: result + "ARMCI_" + m[2] + strings.ReplaceAll(m[3], "* ", "*") + ";",
		})
		return nil
	}
	m := prototype.FindStringSubmatch(declaration)
	if m == nil {
		return fmt.Errorf("no rule for %q", declaration)
	}
	f := Function{Names: []string{m[1]}, Declaration: declaration + ";"}
	if _, note, found := strings.Cut(lines[len(lines)-1], "/*"); found {
		f.Note = "/*" + note
	}
	g.Functions = append(g.Functions, f)
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

// Paragraphs cuts text at empty lines.
func Paragraphs(lines []string) [][]string {
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

// Fold cuts a declaration into lines of at most width characters, if its words allow that.
func Fold(declaration string, width int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(declaration) {
		if line != "" && len(line)+1+len(w) > width {
			lines = append(lines, line)
			line = "       "
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}
