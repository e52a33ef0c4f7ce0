package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var procedure = regexp.MustCompile(`^ +(function|subroutine) (acp_\w+)\(`)

// fortranForms returns the procedures of the modules acp and acp_couple: their first line and the declarations of their arguments.
func fortranForms(modules string) (map[string][]form, error) {
	all := map[string][]form{}
	for _, module := range []string{"acp", "acp_couple"} {
		text, err := os.ReadFile(filepath.Join(modules, module+".f90"))
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			m := procedure.FindStringSubmatch(line)
			if m == nil || all[m[2]] != nil {
				continue
			}
			f := fortranForm(lines[i:])
			if f == nil {
				return nil, fmt.Errorf("module %s: procedure %s has no end", module, m[2])
			}
			all[m[2]] = []form{f}
		}
	}
	return all, nil
}

// fortranForm returns the head of the procedure that begins in the first line, without its name in C.
func fortranForm(lines []string) form {
	var head strings.Builder
	for i, line := range lines {
		part := strings.TrimSpace(line)
		head.WriteString(strings.TrimSuffix(part, "&"))
		if strings.HasSuffix(part, "&") {
			continue
		}
		first, _, _ := strings.Cut(head.String(), " bind(C")
		f := form(folded(first))
		for _, line := range lines[i+1:] {
			line = strings.TrimSpace(line)
			switch {
			case line == "import" || strings.Contains(line, " :: c_"):
			case strings.Contains(line, " :: "):
				f = append(f, "  "+line)
			default:
				return f
			}
		}
	}
	return nil
}
