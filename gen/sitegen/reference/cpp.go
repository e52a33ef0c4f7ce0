package reference

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	cppClass = regexp.MustCompile(`^ *(?:template <[^>]*> )?(?:class|struct) (\w+)[^;]*\{$`)
	// cppBehind is the list of functions of C at the end of a comment.
	cppBehind = regexp.MustCompile(`(?:^|[.;:] )(acp_\w+(?:, acp_\w+)*)\.$`)
)

// cppForms returns what the headers for C++ have for functions of C: each comment names the functions that its declaration calls.
func cppForms(folder string) (map[string][]form, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.hpp"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	all := map[string][]form{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		readCpp(strings.Split(string(text), "\n"), all)
	}
	return all, nil
}

// readCpp adds the forms of one header.
func readCpp(lines []string, all map[string][]form) {
	type scope struct {
		class string
		depth int
	}
	var scopes []scope
	depth := 0
	var comment []string
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if text, found := strings.CutPrefix(trimmed, "//"); found {
			comment = append(comment, strings.TrimSpace(text))
			continue
		}
		said := strings.Join(comment, " ")
		comment = nil
		if said != "" && trimmed != "" {
			if m := cppBehind.FindStringSubmatch(said); m != nil {
				of := ""
				if len(scopes) > 0 {
					of = scopes[len(scopes)-1].class
				}
				f := cppForm(lines[i:], of)
				for _, c := range strings.Split(m[1], ", ") {
					if !strings.Contains(strings.Join(f, " "), "std::error_code") { // those differ in their errors alone
						all[c] = append(all[c], f)
					}
				}
			}
		}
		if m := cppClass.FindStringSubmatch(line); m != nil {
			scopes = append(scopes, scope{m[1], depth})
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		for len(scopes) > 0 && depth <= scopes[len(scopes)-1].depth {
			scopes = scopes[:len(scopes)-1]
		}
	}
}

// cppForm returns the declaration that begins in the first line, below the name of its class.
func cppForm(lines []string, class string) form {
	var b strings.Builder
	for _, line := range lines {
		line = strings.TrimSpace(line)
		b.WriteString(line + " ")
		head := strings.HasPrefix(b.String(), "template") && b.Len() == len(line)+1
		if !head && parentheses(b.String()) == 0 && (strings.HasSuffix(line, "{") || strings.HasSuffix(line, ";") || strings.HasSuffix(line, "}") || strings.HasSuffix(line, ")")) {
			break
		}
	}
	text := declarationOnly(b.String())
	f := form(folded(text + ";"))
	if class != "" {
		return append(form{"// class acp::" + class}, f...)
	}
	return append(form{"// namespace acp"}, f...)
}

// parentheses returns how many of them are open.
func parentheses(text string) int { return strings.Count(text, "(") - strings.Count(text, ")") }

// declarationOnly cuts off the body and the initialisers of a function.
func declarationOnly(text string) string {
	depth, args := 0, false
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
			args = args || text[i] == '('
		case ')', ']':
			depth--
		case '{', ';':
			if depth == 0 && args {
				return strings.TrimSpace(text[:i])
			}
		case ':':
			if depth == 0 && args && i > 0 && text[i-1] == ' ' {
				return strings.TrimSpace(text[:i])
			}
		}
	}
	return strings.TrimSpace(text)
}
