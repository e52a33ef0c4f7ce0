//go:build cgo

package libacp

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// strictCpp are warnings that programs enable and the headers for C++ do not cause.
var strictCpp = []string{"-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wold-style-cast",
	"-Wshadow", "-Werror"}

// cppStandards are the standards of C++ that the headers support, and their tests use.
var cppStandards = []string{"c++17", "c++20"}

// cppCompilers returns the compiler of the tests, and clang++ if there is one.
func cppCompilers() []string {
	if clang, err := exec.LookPath("clang++"); err == nil && os.Getenv("CXX") == "" {
		return []string{machine.CXX(), clang}
	}
	return []string{machine.CXX()}
}

// compileCpp compiles a source in C++ with all warnings as errors.
func compileCpp(t *testing.T, compiler, standard, source string, args ...string) {
	t.Helper()
	// go test repeats the test if a file changes that it has looked at.
	for _, pattern := range []string{source, "*.h", "testdata/cpp_*.h", "../cpp/*.hpp"} {
		for _, file := range glob(t, pattern) {
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := append([]string{"-std=" + standard, "-I.", "-I../cpp", "-Itestdata"}, strictCpp...)
	if err := command(compiler, append(append(all, source), args...)...); err != nil {
		t.Fatal(err)
	}
}

// TestCppHeadersAlone: each header for C++ needs no other header before it, and may be included twice.
func TestCppHeadersAlone(t *testing.T) {
	for _, header := range glob(t, "../cpp/*.hpp") {
		source := filepath.Join(t.TempDir(), "alone.cc")
		include := fmt.Sprintf("#include <%s>\n", filepath.Base(header))
		if err := os.WriteFile(source, []byte(include+include), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, compiler := range cppCompilers() {
			for _, standard := range cppStandards {
				compileCpp(t, compiler, standard, source, "-fsyntax-only")
			}
		}
	}
}

// cppLinks are the links of the description for testdata/cpp_couple.cc.
const cppLinks = "giver.number:taker.number giver2.number:taker2.number,every=2,reduce=sum"

// TestCppPrograms: the programs that use all of the headers for C++ compile without a warning with every
// standard and compiler, and work.
func TestCppPrograms(t *testing.T) {
	for _, test := range []struct{ name, stderr string }{
		{"memory", "acp: init: initialised already\n"},
		{"structures", ""},
		{"containers", ""},
		{"couple", ""},
	} {
		source := filepath.Join("testdata", "cpp_"+test.name+".cc")
		for _, compiler := range cppCompilers() {
			for _, standard := range cppStandards {
				path := filepath.Join(t.TempDir(), strings.ReplaceAll(test.name+standard, "+", "p"))
				compileCpp(t, compiler, standard, source, "-O1", "-g", needArchive(t), "-pthread", "-o", path)
				for _, net := range []string{"shm", "tcp"} {
					for n := 1; n <= 3; n++ {
						t.Run(fmt.Sprintf("%s/%s/%s/%s/%d", test.name, filepath.Base(compiler), standard, net, n), func(t *testing.T) {
							allWell(t, together(t, n, []string{"ACP_NET=" + net, "STATE_FOLDER=" + t.TempDir(), "ACP_COUPLE=" + cppLinks}, path), test.stderr)
						})
					}
				}
			}
		}
	}
}

// TestCppRefused: what an object owns stays if the library refuses to free it, and is freed by the next call.
func TestCppRefused(t *testing.T) {
	for _, compiler := range cppCompilers() {
		path := filepath.Join(t.TempDir(), "refused")
		compileCpp(t, compiler, "c++17", "testdata/cpp_refused.cc", needArchive(t), "-pthread", "-o", path,
			"-Wl,--wrap=acp_nbfree_ch,--wrap=acp_close_link,--wrap=acp_finalize")
		for _, net := range []string{"shm", "tcp"} {
			allWell(t, together(t, 2, []string{"ACP_NET=" + net}, path), "")
		}
	}
}

// TestCppRefusedTypes: a type whose bytes are not its value is refused with a message that says so.
func TestCppRefusedTypes(t *testing.T) {
	const codec = "acp::codec needs a specialisation for this type"
	path := filepath.Join(t.TempDir(), "type.cc")
	source := func(uses, name string) string {
		text := "#include <acp.hpp>\n#include <vector>\nstruct plain { int a; };\nusing T = " + name + ";\n" + uses
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	all := ""
	for i, test := range []struct{ use, message string }{
		{"acp::global_ptr<T> p;", "transfers copy the bytes of values"},
		{"acp::vector<T> v;", "vectors have the bytes of values"},
		{"acp::deque<T> d;", "deques have the bytes of values"},
		{"auto n = sizeof(acp::workspace<T>);", "workspaces have the bytes of values"},
		{"auto n = sizeof(acp::segment_source<T>);", "segments have the bytes of values"},
		{"auto n = sizeof(acp::segment_sink<T>);", "segments have the bytes of values"},
		{"void f(acp::linked_list<T> l, T &v) { l.push_back(v); }", codec},
		{"void f(acp::set<T> s, T &v) { s.insert(v); }", codec},
		{"void f(acp::multiset<T> s, T &v) { s.count(v); }", codec},
		{"void f(acp::map<int, T> m, T &v) { m.insert(1, v); }", codec},
	} {
		for _, compiler := range cppCompilers() {
			err := command(compiler, "-std=c++17", "-I.", "-I../cpp", "-fsyntax-only", source(test.use, "std::vector<int>"))
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("%s: %v, expected %s", test.use, err, test.message)
			}
		}
		all += fmt.Sprintf("namespace use_%d { %s }\n", i, test.use)
	}
	for _, compiler := range cppCompilers() {
		compileCpp(t, compiler, "c++17", source(all, "plain"), "-fsyntax-only")
	}
}

// TestDocumentedCpp: the program in docs/cpp.md compiles and writes the output shown there, and the other code on the page compiles.
func TestDocumentedCpp(t *testing.T) {
	text, err := os.ReadFile("../../docs/cpp.md")
	if err != nil {
		t.Fatal(err)
	}
	program, parts, blocks := "", "#include \"testdata/docs/cpp.h\"\n", 0
	for _, part := range strings.Split(string(text), "```cpp\n")[1:] {
		code, _, ok := strings.Cut(part, "```")
		if !ok {
			t.Fatal("a block of code does not end")
		}
		if strings.Contains(code, "int main(") {
			program = code
			continue
		}
		blocks++
		parts += fmt.Sprintf("void block_%d();\nvoid block_%[1]d() {\nusing namespace manual;\n%s}\n", blocks, code)
	}
	if program == "" || blocks < 6 {
		t.Fatalf("the page has %d blocks of code beside the program %q", blocks, program)
	}
	dir := t.TempDir()
	for name, source := range map[string]string{"program.cc": program, "parts.cc": parts} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compileParts := []string{"-Wno-unused-variable", "-Wno-unused-but-set-variable", "-fsyntax-only"}
	for _, compiler := range cppCompilers() {
		for _, standard := range cppStandards {
			compileCpp(t, compiler, standard, filepath.Join(dir, "parts.cc"), compileParts...)
		}
	}
	path := filepath.Join(dir, "program")
	compileCpp(t, machine.CXX(), "c++17", path+".cc", needArchive(t), "-pthread", "-o", path)
	for r, e := range together(t, 4, nil, path) {
		if e.status != 0 || e.stderr != "" || (r == 0) == (e.stdout == "") || !strings.Contains(string(text), "\n"+e.stdout) {
			t.Errorf("rank %d: %v, which the page does not show", r, e)
		}
	}
}

// TestCppException: if an exception leaves the scope of acp::runtime, the run ends, also while other ranks wait.
func TestCppException(t *testing.T) {
	path := filepath.Join(t.TempDir(), "throw")
	compileCpp(t, machine.CXX(), "c++17", "testdata/cpp_throw.cc", needArchive(t), "-pthread", "-o", path)
	for from, reason := range map[string]string{
		"acp":     "bad global address: source 0x0: null",
		"program": "an exception has left the scope of acp::runtime",
	} {
		for _, net := range []string{"shm", "tcp"} {
			r := together(t, 2, []string{"ACP_NET=" + net}, path, from)
			if want := (ended{status: 255, stderr: "acp: abort by rank 0: " + reason + "\n"}); r[0] != want {
				t.Errorf("%s, %s: rank 0: %v, expected %v", from, net, r[0], want)
			}
			if r[1].status == 0 || strings.Contains(r[1].stderr, "caught") {
				t.Errorf("%s, %s: rank 1: %v, expected the end of the run", from, net, r[1])
			}
		}
	}
}

// TestCppNamesC: the comments of the headers for C++ name functions of C that exist.
func TestCppNamesC(t *testing.T) {
	known := declaredIn(t, "acp.h")
	maps.Copy(known, declaredIn(t, "acp_couple.h"))
	word, named := regexp.MustCompile(`\bacp_\w+`), map[string]bool{}
	for _, file := range glob(t, "../cpp/*.hpp") {
		text := regexp.MustCompile(`acp_\w+\.h(pp)?|acp_\w+_t\b`).ReplaceAllString(readHeader(t, file), "")
		for _, name := range word.FindAllString(text, -1) {
			named[name] = true
			if !known[name] {
				t.Errorf("%s names %s, which no header of C declares", file, name)
			}
		}
	}
	if len(named) < 60 {
		t.Errorf("only %d functions of C", len(named))
	}
}
