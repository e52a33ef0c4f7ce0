//go:build cgo

package libacp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// readMacros returns the names of the generic macros.
func readMacros(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/macros.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// language is a standard that acp.h supports, with a compiler.
type language struct{ compiler, name, standard string }

var languages = []language{{machine.CC(), "c", "c99"}, {machine.CC(), "c", "c17"}, {machine.CXX(), "c++", "c++17"}}

// compile runs the compiler on a source, with all warnings as errors. The test fails if it fails.
func (l language) compile(t *testing.T, source string, args ...string) {
	t.Helper()
	all := []string{"-x", l.name, "-std=" + l.standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", source}
	if err := command(l.compiler, append(all, args...)...); err != nil {
		t.Fatal(err)
	}
}

// compile compiles a source in every language, and calls run with the program.
func compile(t *testing.T, source string, run func(t *testing.T, program string)) {
	for _, l := range languages {
		t.Run(l.standard, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "source")
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			l.compile(t, file, "-x", "none", needArchive(t), "-o", file+".exe")
			run(t, file+".exe")
		})
	}
}

// TestMacros: every macro calls the function for the type of its first argument, and the header has
// no other macros.
func TestMacros(t *testing.T) {
	var source, want strings.Builder
	source.WriteString("#include <acp.h>\n#include <stdio.h>\n#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\nint main(void) {\n")
	expect := func(call, expansion string) {
		fmt.Fprintf(&source, "puts(TEXT(%s));\n", call)
		fmt.Fprintln(&want, expansion)
	}
	macros := readMacros(t)
	for _, m := range macros {
		expect(m+"(vector, v)", m+"_vector(v)")
		expect(m+"(local_set, s, 1, f(2, 3))", m+"_local_set(s, 1, f(2, 3))")
	}
	expect("acp_dereference(deque_it, it, n)", "acp_dereference_deque_it(it, n)")
	expect("acp_dereference(deque_it, it)", "goacp_deque_it_ga(it)")
	source.WriteString("return 0;\n}\n")
	compile(t, source.String(), func(t *testing.T, program string) {
		got, err := machine.Command(t.Context(), program).Output()
		if err != nil || string(got) != want.String() {
			t.Errorf("%v\n%s\nexpected:\n%s", err, got, want.String())
		}
	})
	generic := regexp.MustCompile(`(?m)^#define (acp_\w+)\(type, \.\.\.\)`).FindAllStringSubmatch(readHeader(t, "acp.h"), -1)
	if len(generic) != len(macros) {
		t.Errorf("acp.h has %d generic macros, expected %d", len(generic), len(macros))
	}
}

var (
	parameters    = regexp.MustCompile(`(?s)\*/\n[a-z][a-z0-9_ ]*[ *]acp_([a-z0-9_]+)\(([^;]*)\);`)
	parameterName = regexp.MustCompile(`\(\*(\w+)\)|(\w+)(?:\[\])?$`)
)

// argumentNames returns the names of the parameters in a prototype.
func argumentNames(params string) string {
	var names []string
	depth, from := 0, 0
	for i, c := range params + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			m := parameterName.FindStringSubmatch(strings.TrimSpace(params[from:i]))
			names, from = append(names, m[1]+m[2]), i+1
		}
	}
	return strings.Join(names, ", ")
}

// TestMacrosCall: the macros take the arguments of every function that has one.
func TestMacrosCall(t *testing.T) {
	var source strings.Builder
	source.WriteString("#include <acp.h>\n")
	calls := 0
	for i, f := range parameters.FindAllStringSubmatch(readHeader(t, "acp.h"), -1) {
		for _, m := range readMacros(t) {
			kind, ok := strings.CutPrefix("acp_"+f[1], m+"_")
			if !ok {
				continue
			}
			calls++
			fmt.Fprintf(&source, "void use%d_%d(%s);\nvoid use%d_%d(%s) { (void)%s(%s, %s); }\n",
				i, calls, f[2], i, calls, f[2], m, kind, argumentNames(f[2]))
		}
	}
	source.WriteString("int main(void) { return 0; }\n")
	if calls < 40 {
		t.Errorf("only %d calls", calls)
	}
	compile(t, source.String(), func(*testing.T, string) {})
}
