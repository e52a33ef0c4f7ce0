package main

import (
	"fmt"
	"regexp"
	"strings"
)

// cHeader is what a header declares, in its order.
type cHeader struct {
	sections []*section
	generics []*generic
}

// generic is a macro that is one name for several functions.
type generic struct {
	name      string
	functions []string // nil: those of structures, whose names begin with that of the macro
}

// section is the part of a header behind a heading.
type section struct {
	title     string
	types     []*cType
	constants []*constant
	variables []parameter
	functions []*function
}

// cType is a type that the header defines.
type cType struct {
	name    string
	kind    string      // of a name for another type: what that is in C, with stars behind it
	members []parameter // of a struct
}

type constant struct{ name, value string }

// parameter is what a name stands for: a parameter, a member or a variable.
type parameter struct {
	name      string
	base      string // the type without stars
	pointers  int    // stars
	constant  bool   // what a pointer points to
	array     bool   // declared with brackets
	procedure *function
	optional  bool // a pointer that may be NULL
}

type function struct {
	name        string
	declaration string // on one line
	result      parameter
	parameters  []parameter
}

var (
	heading       = regexp.MustCompile(`^/\* -+ (.+?) -+ \*/$`)
	comments      = regexp.MustCompile(`(?s)/\*.*?\*/`)
	blanks        = regexp.MustCompile(`\s+`)
	defined       = regexp.MustCompile(`^#define (ACP_\w+)\s+(.+)$`)
	genericMacro  = regexp.MustCompile(`^#define (acp_\w+)\(type, \.\.\.\)\s+acp_\w+_##type\(__VA_ARGS__\)$`)
	overload      = regexp.MustCompile(`^#define (acp_\w+)\(\.\.\.\)\s+GOACP_PICK\d_\(__VA_ARGS__, (\w+), (\w+), \)\(__VA_ARGS__\)$`)
	structType    = regexp.MustCompile(`^typedef struct (?:\w+ )?\{ ?(.*)\} (\w+)$`)
	namedType     = regexp.MustCompile(`^typedef (.+?)(\w+)$`)
	variable      = regexp.MustCompile(`^extern (.+)$`)
	prototype     = regexp.MustCompile(`^(.*?)(\w+)\((.*)\)$`)
	procedureType = regexp.MustCompile(`^(.*?)\(\*(\w+)\)\((.*)\)$`)
	simpleType    = regexp.MustCompile(`^((?:\w+ )*\w+)( | ?\*+ ?)(\w+)(\[\w*\])?$`)
)

// parse reads a header.
func parse(text string) (*cHeader, error) {
	h := &cHeader{}
	comment := ""
	for {
		text = strings.TrimLeft(text, " \t\n}")
		if text == "" {
			return h, nil
		}
		var err error
		switch {
		case strings.HasPrefix(text, "/*"):
			comment, text = cut(text, "*/")
			if m := heading.FindStringSubmatch(comment); m != nil {
				h.sections = append(h.sections, &section{title: m[1]})
			}
		case text[0] == '#':
			var directive string
			directive, text = cutDirective(text)
			h.directive(directive)
		case strings.HasPrefix(text, `extern "C" {`):
			_, text = cut(text, "{")
		default:
			var declared string
			declared, text = cutDeclaration(text)
			err = h.current().declare(declared, comment)
			comment = ""
		}
		if err != nil {
			return nil, err
		}
	}
}

// current returns the section to which a declaration belongs.
func (h *cHeader) current() *section {
	if len(h.sections) == 0 {
		h.sections = append(h.sections, &section{title: "Basic types"})
	}
	return h.sections[len(h.sections)-1]
}

// cut takes the text up to the end of a separator off.
func cut(text, separator string) (first, rest string) {
	first, rest, found := strings.Cut(text, separator)
	if found {
		first += separator
	}
	return first, rest
}

// cutDirective takes a directive with its continuation lines and without its comments off.
func cutDirective(text string) (directive, rest string) {
	for {
		line, after, _ := strings.Cut(text, "\n")
		text = after
		continued, more := strings.CutSuffix(line, `\`)
		directive += continued
		if !more {
			return strings.TrimSpace(comments.ReplaceAllString(directive, "")), text
		}
	}
}

// cutDeclaration takes a declaration up to its semicolon off, and returns it on one line.
func cutDeclaration(text string) (declaration, rest string) {
	var b strings.Builder
	depth := 0
	for text != "" {
		if strings.HasPrefix(text, "/*") {
			_, text = cut(text, "*/")
			continue
		}
		c := text[0]
		text = text[1:]
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case ';':
			if depth == 0 {
				return strings.TrimSpace(blanks.ReplaceAllString(b.String(), " ")), text
			}
		}
		b.WriteByte(c)
	}
	return b.String(), ""
}

// directive notes a constant or a generic macro. Other directives say nothing to Fortran.
func (h *cHeader) directive(text string) {
	if m := genericMacro.FindStringSubmatch(text); m != nil {
		h.generics = append(h.generics, &generic{name: m[1]})
	} else if m := overload.FindStringSubmatch(text); m != nil {
		h.generics = append(h.generics, &generic{m[1], m[2:]})
	} else if m := defined.FindStringSubmatch(text); m != nil {
		s := h.current()
		s.constants = append(s.constants, &constant{m[1], m[2]})
	}
}

// declare notes what a declaration declares.
func (s *section) declare(text, comment string) error {
	if m := structType.FindStringSubmatch(text); m != nil {
		members, err := parseList(strings.TrimSuffix(strings.TrimSpace(m[1]), ";"), "; ")
		s.types = append(s.types, &cType{name: m[2], members: members})
		return err
	}
	if m := namedType.FindStringSubmatch(text); m != nil {
		s.types = append(s.types, &cType{name: m[2], kind: strings.ReplaceAll(strings.TrimSpace(m[1]), " *", "*")})
		return nil
	}
	if m := variable.FindStringSubmatch(text); m != nil {
		v, err := parseParameter(m[1])
		s.variables = append(s.variables, v)
		return err
	}
	if m := prototype.FindStringSubmatch(text); m != nil {
		f, err := parseFunction(m[1], m[2], m[3])
		if err != nil {
			return fmt.Errorf("%s: %w", m[2], err)
		}
		f.declaration = text
		f.markOptional(comment)
		s.functions = append(s.functions, f)
		return nil
	}
	return fmt.Errorf("no rule for %q", text)
}

func parseFunction(result, name, parameters string) (*function, error) {
	f := &function{name: name}
	var err error
	if f.result, err = parseParameter(strings.TrimSpace(result) + " result"); err != nil {
		return nil, err
	}
	if parameters != "void" {
		f.parameters, err = parseList(parameters, ", ")
	}
	return f, err
}

// parseList reads declarations that a separator separates outside of parentheses.
func parseList(text, separator string) ([]parameter, error) {
	var list []parameter
	depth, begin := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text), depth == 0 && strings.HasPrefix(text[i:], separator):
			p, err := parseParameter(strings.TrimSpace(text[begin:i]))
			if err != nil {
				return nil, err
			}
			list = append(list, p)
			begin = i + len(separator)
		case text[i] == '(':
			depth++
		case text[i] == ')':
			depth--
		}
	}
	return list, nil
}

// parseParameter reads a type with a name.
func parseParameter(text string) (parameter, error) {
	if m := procedureType.FindStringSubmatch(text); m != nil {
		f, err := parseFunction(m[1], m[2], m[3])
		return parameter{name: m[2], procedure: f}, err
	}
	plain, isConst := withoutQualifiers(text)
	m := simpleType.FindStringSubmatch(plain)
	if m == nil {
		return parameter{}, fmt.Errorf("no rule for %q", text)
	}
	p := parameter{name: m[3], base: m[1], pointers: strings.Count(m[2], "*"), constant: isConst}
	if m[4] != "" {
		p.array = true
		p.pointers++
	}
	return p, nil
}

// withoutQualifiers takes const and volatile out of a type, and reports whether it had const.
func withoutQualifiers(text string) (plain string, isConst bool) {
	var words []string
	for word := range strings.FieldsSeq(text) {
		switch word {
		case "const":
			isConst = true
		case "volatile":
		default:
			words = append(words, word)
		}
	}
	return strings.Join(words, " "), isConst
}

// markOptional marks the pointers of which the comment says that they may be NULL.
func (f *function) markOptional(comment string) {
	comment = strings.Join(strings.Fields(strings.ReplaceAll(comment, "\n *", "\n")), " ")
	for i := range f.parameters {
		p := &f.parameters[i]
		mayBeNull := regexp.MustCompile(`\b` + p.name + `( and \w+)?( \(?may be NULL| unless (that|it) is NULL)`)
		p.optional = p.pointers > 0 && mayBeNull.MatchString(comment)
	}
}
