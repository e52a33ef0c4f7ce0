package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const bindingsPage = "docs/bindings.md"

var (
	headerComment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	headerFunction = regexp.MustCompile(`(?m)^[a-z][a-z0-9_ ]*[ *](acp_[a-z0-9_]+)\(`)
	bindingRow     = regexp.MustCompile("(?m)^\\| `(acp_\\w+)` \\| ([^|]*) \\| ([^|]*) \\| `(\\w+)` \\|$")
	pythonClass    = regexp.MustCompile(`(?m)^class (\w+)(?:\((\w+))?.*:$`)
	pythonMember   = regexp.MustCompile(`(?m)^    def (\w+)\(|^        self\.(\w+)(?:: [^=\n]+)? =|^    (\w+): `)
	pythonCalls    = regexp.MustCompile(`(?m)^    "(acp_\w+)": \(`)
	pythonAtomics  = regexp.MustCompile(`for _name in \(([^)]*)\)`)
	pythonText     = regexp.MustCompile(`"(\w+)"`)
)

// headerFunctions returns the functions of a header in their order.
func headerFunctions(t *testing.T, name string) []string {
	t.Helper()
	var all []string
	for _, m := range headerFunction.FindAllStringSubmatch(headerComment.ReplaceAllString(read(t, name), ""), -1) {
		all = append(all, m[1])
	}
	return all
}

// pythonNames returns the functions, classes and members of the Python package, such as Run.sync.
func pythonNames(t *testing.T) map[string]bool {
	t.Helper()
	names, members, base := map[string]bool{"run": true}, map[string][]string{}, map[string]string{}
	for name := range sourceFiles(t) {
		if filepath.Dir(name) != "python/goacp" || filepath.Ext(name) != ".py" {
			continue
		}
		text := read(t, name)
		classes := pythonClass.FindAllStringSubmatchIndex(text, -1)
		for i, at := range classes {
			class, end := text[at[2]:at[3]], len(text)
			if i+1 < len(classes) {
				end = classes[i+1][0]
			}
			names[class] = true
			if at[4] >= 0 {
				base[class] = text[at[4]:at[5]]
			}
			for _, m := range pythonMember.FindAllStringSubmatch(text[at[0]:end], -1) {
				members[class] = append(members[class], m[1]+m[2]+m[3])
			}
		}
	}
	for class := range names {
		for of := class; of != ""; of = base[of] {
			for _, m := range members[of] {
				names[class+"."+m] = true
			}
		}
	}
	return names
}

// pythonStandIns are the functions of lib/acp/python.h by which the Python package calls a function of the headers.
var pythonStandIns = map[string]string{"goacp_python_send": "acp_send_link", "goacp_python_receive": "acp_receive_link"}

// pythonFunctions returns the functions of C that the Python package calls.
func pythonFunctions(t *testing.T) map[string]bool {
	t.Helper()
	text, all := read(t, "python/goacp/_api.py"), map[string]bool{"acp_cas4": true, "acp_cas8": true}
	for _, m := range pythonCalls.FindAllStringSubmatch(text, -1) {
		all[m[1]] = true
	}
	for name, f := range pythonStandIns {
		all[f] = all[f] || strings.Contains(text, `"`+name+`":`)
	}
	atomics := pythonAtomics.FindStringSubmatch(text)
	if atomics == nil {
		t.Fatal("python/goacp/_api.py does not list the atomics")
	}
	for _, m := range pythonText.FindAllStringSubmatch(atomics[1], -1) {
		all["acp_"+m[1]+"4"], all["acp_"+m[1]+"8"] = true, true
	}
	return all
}

// hasGo reports whether packages acp, couple and weights have a function, a method or a field.
func hasGo(packages map[string]*goPackage, name string) bool {
	folder := "acp"
	for _, other := range []string{"couple", "weights"} {
		if rest, ok := strings.CutPrefix(name, other+"."); ok {
			folder, name = other, rest
		}
	}
	of, member, isMember := strings.Cut(name, ".")
	if p := packages[folder]; isMember {
		return p.has(of, member)
	}
	return packages[folder].names[name]
}

// TestBindingsAreCurrent: the page about functions of all languages has each function of the headers, in their order, with
// what Go and Python have for it. The functions with a name in Python are those that the package calls.
func TestBindingsAreCurrent(t *testing.T) {
	modules := map[string]string{}
	var want, got []string
	for _, module := range []string{"acp", "acp_couple"} {
		for _, f := range headerFunctions(t, "lib/acp/"+module+".h") {
			want, modules[f] = append(want, f), module
		}
	}
	packages, names, called := goPackages(t), pythonNames(t), pythonFunctions(t)
	for _, row := range bindingRow.FindAllStringSubmatch(read(t, bindingsPage), -1) {
		f := row[1]
		got = append(got, f)
		for _, name := range code(row[2]) {
			if !hasGo(packages, name) {
				t.Errorf("%s names %s for %s, which Go does not have", bindingsPage, name, f)
			}
		}
		for _, name := range code(row[3]) {
			if !names[strings.TrimSuffix(name, "()")] {
				t.Errorf("%s names %s for %s, which Python does not have", bindingsPage, name, f)
			}
		}
		if has := len(code(row[3])) > 0; has != called[f] {
			t.Errorf("%s names something of Python for %s: %t; the package calls it: %t", bindingsPage, f, has, called[f])
		}
		if row[4] != modules[f] {
			t.Errorf("%s has %s in module %s, expected %s", bindingsPage, f, row[4], modules[f])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s has the functions %v, expected %v", bindingsPage, got, want)
	}
	for f := range called {
		if modules[f] == "" {
			t.Errorf("python/goacp/_api.py names %s, which no header declares", f)
		}
	}
}
