//go:build cgo

package libacp

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// A program needs no other header than acp.h, in every language that the header supports. It may
// include acp.h before or after the headers that old programs include first.
func TestHeaderAlone(t *testing.T) {
	sources := []string{
		"#include <acp.h>\n",
		"#include <stdint.h>\n#include <stddef.h>\n#include <acp.h>\n#include <acp.h>\n",
	}
	const use = "int main(void) { return (int)acp_inquire(ACP_HANDLE_ALL) + ACP_ERRNO; }\n"
	for _, l := range languages {
		for i, source := range sources {
			t.Run(fmt.Sprintf("%s/%d", l.standard, i), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "use")
				if err := os.WriteFile(file, []byte(source+use), 0o600); err != nil {
					t.Fatal(err)
				}
				l.compile(t, file, "-fsyntax-only")
			})
		}
	}
}

// TestStrictWarnings: a program in C++ that uses every constant gets no warning from the headers, also from warnings
// that few programs enable.
func TestStrictWarnings(t *testing.T) {
	source := "#include <acp_couple.h>\nint main() {\n"
	constant := regexp.MustCompile(`(?m)^#define (ACP_\w+)\s+\S`)
	uses := 0
	for _, header := range []string{"acp.h", "acp_couple.h"} {
		for _, m := range constant.FindAllStringSubmatch(readHeader(t, header), -1) {
			source += fmt.Sprintf("auto use%d = %s;\nstatic_cast<void>(use%[1]d);\n", uses, m[1])
			uses++
		}
	}
	if uses < 40 {
		t.Errorf("only %d constants", uses)
	}
	file := filepath.Join(t.TempDir(), "use")
	if err := os.WriteFile(file, []byte(source+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := language{machine.CXX(), "c++", "c++20"}
	l.compile(t, file, "-Wold-style-cast", "-Wconversion", "-Wsign-conversion", "-Wuseless-cast", "-Wshadow", "-fsyntax-only")
}

// TestNoGeneric: with ACP_NO_GENERIC the names of the macros are free.
func TestNoGeneric(t *testing.T) {
	source := "#define ACP_NO_GENERIC\n#include <acp_couple.h>\n"
	for _, m := range append(readMacros(t), "acp_dereference_deque_it") {
		source += fmt.Sprintf("#ifdef %s\n#error %[1]s\n#endif\n", m)
	}
	compile(t, source+"int main(void) { return 0; }\n", func(*testing.T, string) {})
}

// TestVersion: the version in the header is that of the build.
func TestVersion(t *testing.T) {
	text := readHeader(t, "../../configure")
	version := regexp.MustCompile(`(?m)^VERSION=(\d+)\.(\d+)\.(\d+)$`).FindStringSubmatch(text)
	if version == nil {
		t.Fatal("configure has no version")
	}
	for i, part := range []string{"MAJOR", "MINOR", "PATCH"} {
		line := fmt.Sprintf("#define ACP_VERSION_%s %s\n", part, version[i+1])
		if !strings.Contains(readHeader(t, "acp.h"), line) {
			t.Errorf("acp.h does not contain %q", line)
		}
	}
}

var (
	comment   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	directive = regexp.MustCompile(`(?m)^#(?:.*\\\n)*.*$`)
	prototype = regexp.MustCompile(`(?s)(/\*(?:[^*]|\*[^/])*\*/)\n[a-z][a-z0-9_ ]*[ *](acp_[a-z0-9_]+)\([^;]*\);`)
	declared  = regexp.MustCompile(`\b(acp_[a-z0-9_]+)\(`)
	closing   = regexp.MustCompile(`\n \* [^\n]*(Collective|Collective for the ranks of (?:both models|the model)|Any process)\. [^\n]+\. (Spec 4\.\d+\.\d+|Added in 3\.0|Addition of GoACP)\.\n \*/$`)
)

// declarations returns the header without comments and directives.
func declarations(header string) string {
	return directive.ReplaceAllString(comment.ReplaceAllString(header, ""), "")
}

func readHeader(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The archive has the functions that acp.h and acp_couple.h declare, and no others whose names begin
// alike. Those of acp.h are those of the specification.
func TestSymbols(t *testing.T) {
	want := map[string]bool{}
	for file, list := range map[string]map[string]bool{"acp.h": specified(t), "acp_couple.h": symbols(t, "couple_symbols")} {
		header := declaredIn(t, file)
		if !reflect.DeepEqual(header, list) {
			t.Errorf("%s declares %v, expected %v", file, names(header), names(list))
		}
		maps.Copy(want, list)
	}
	out, err := exec.Command("nm", "-g", "--defined-only", needArchive(t)).Output()
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	errnos := 0
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) == 3 && strings.HasPrefix(f[2], "acp_") {
			defined[f[2]] = true
		}
		if len(f) == 3 && f[2] == "ACP_ERRNO" {
			errnos++
		}
	}
	if !reflect.DeepEqual(defined, want) {
		t.Errorf("the archive defines %v, expected %v", names(defined), names(want))
	}
	if errnos != 1 {
		t.Errorf("ACP_ERRNO is defined %d times", errnos)
	}
}

// declaredIn returns the functions that a header declares.
func declaredIn(t *testing.T, header string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, m := range declared.FindAllStringSubmatch(declarations(string(text)), -1) {
		set[m[1]] = true
	}
	return set
}

// specified returns the functions of acp.h that the library is to have.
func specified(t *testing.T) map[string]bool {
	t.Helper()
	return symbols(t, "symbols")
}

// symbols returns the names in a list of what the libraries show.
func symbols(t *testing.T, list string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(list + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	for _, name := range strings.Fields(string(text)) {
		set[name] = true
	}
	return set
}

func names(set map[string]bool) []string {
	var list []string
	for n := range set {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// Every function has a comment. It ends with the ranks that call the function, whether the
// function blocks, and the chapter of the specification.
func TestHeaderComments(t *testing.T) {
	for _, header := range []string{"acp.h", "acp_couple.h"} {
		text := readHeader(t, header)
		found := prototype.FindAllStringSubmatch(text, -1)
		if want := len(declaredIn(t, header)); len(found) != want {
			t.Errorf("%s: %d of %d functions have a comment", header, len(found), want)
		}
		for _, m := range found {
			if !closing.MatchString(m[1]) {
				t.Errorf("%s: the comment of %s does not end as it should", header, m[2])
			}
		}
	}
}

var (
	exported    = regexp.MustCompile(`(?m)^//export (goacp_\w+)$`)
	lineComment = regexp.MustCompile(`//[^\n]*`)
)

// TestGoIsEntered: C calls Go only by the macros of call.h. They end forked children, or their callers have done so.
func TestGoIsEntered(t *testing.T) {
	for _, name := range glob(t, "*.go") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range exported.FindAllStringSubmatch(string(text), -1) {
			direct := regexp.MustCompile(m[1] + `\b`)
			for _, file := range glob(t, "*.c") {
				source, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if direct.Match(lineComment.ReplaceAll(source, nil)) {
					t.Errorf("%s calls %s without GO", file, m[1])
				}
			}
		}
	}
	for _, file := range glob(t, "*.c") {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if pasted := regexp.MustCompile(`goacp_\w*##`).Find(source); pasted != nil {
			t.Errorf("%s calls %s without GO", file, pasted)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files
}
