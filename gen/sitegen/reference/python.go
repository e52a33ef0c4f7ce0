package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	pythonClass = regexp.MustCompile(`(?m)^class (\w+)(?:\((?:\w+\[)?(\w+).*\))?:$`)
	pythonDef   = regexp.MustCompile(`(?ms)^( {4})?def (\w+)(\(.*?\)(?: -> [^\n]+)?):$`)
)

// pythonForms returns what the package goacp has: the heads of functions and methods, and the names of attributes.
func pythonForms(folder string, bindings []binding) (map[string][]form, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.py"))
	if err != nil {
		return nil, err
	}
	heads, base := map[string]string{}, map[string]string{} // of functions and methods such as Run.sync; of classes
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		readPython(string(text), heads, base)
	}
	all := map[string][]form{}
	for _, b := range bindings {
		for _, name := range b.python {
			f, err := pythonForm(name, heads, base)
			if err != nil {
				return nil, err
			}
			all[b.c] = append(all[b.c], f)
		}
	}
	return all, nil
}

// readPython adds the functions and methods of one file.
func readPython(text string, heads, base map[string]string) {
	classes := pythonClass.FindAllStringSubmatchIndex(text, -1)
	for _, at := range classes {
		if at[4] >= 0 {
			base[text[at[2]:at[3]]] = text[at[4]:at[5]]
		} else {
			base[text[at[2]:at[3]]] = ""
		}
	}
	for _, at := range pythonDef.FindAllStringSubmatchIndex(text, -1) {
		name, head := text[at[4]:at[5]], text[at[4]:at[7]]
		if at[2] >= 0 { // a method of the class before it
			class := ""
			for _, c := range classes {
				if c[0] < at[0] {
					class = text[c[2]:c[3]]
				}
			}
			name = class + "." + name
		}
		if heads[name] == "" {
			heads[name] = strings.Join(strings.Fields(head), " ")
		}
	}
}

// pythonForm returns the form of a name such as Run.sync, run or Error.
func pythonForm(name string, heads, base map[string]string) (form, error) {
	class, member, isMember := strings.Cut(name, ".")
	if !isMember {
		if head := heads[name]; head != "" {
			return folded("def " + head), nil
		}
		if _, known := base[name]; known {
			return form{"class " + name}, nil
		}
		return nil, fmt.Errorf("the package goacp has no %s", name)
	}
	for of := class; of != ""; of = base[of] {
		if head := heads[of+"."+member]; head != "" {
			return append(form{"# class " + class}, folded("def "+head)...), nil
		}
	}
	return form{"# class " + class, member}, nil // an attribute, which docs/bindings_test.go knows
}
