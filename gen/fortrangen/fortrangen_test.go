package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/gen/fortrangen/fortrantest"
)

func root(t *testing.T) string {
	t.Helper()
	dir, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestGenerate: the program writes the modules to the folder that it gets.
func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		want, err := m.source(root(t))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, m.name+".f90")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("module %s: %v, %d bytes, want %d", m.name, err, len(got), len(want))
		}
	}
	if err := generate(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

// TestEverything: a module has every function, type, constant and variable of its header, each once.
func TestEverything(t *testing.T) {
	for _, m := range modules {
		everything(t, &m)
	}
}

// everything checks one module. Only acp.h has variables.
func everything(t *testing.T, m *module) {
	header, err := os.ReadFile(filepath.Join(root(t), m.header))
	if err != nil {
		t.Fatal(err)
	}
	module, err := m.source(root(t))
	if err != nil {
		t.Fatal(err)
	}
	source := regexp.MustCompile(` &\n +`).ReplaceAllString(string(module), " ")
	inC := comments.ReplaceAllString(string(header), "")
	for what, each := range map[string]struct{ find, declaration string }{
		"function": {`(?m)^[a-z][\w *]*[ *](g?o?acp_\w+)\(`, `bind(C, name="%")`},
		"type":     {`(?m)(?:^\}|^typedef [^{;]*[ *])\s*(acp_\w+);`, ":: %\n| :: % ="},
		"constant": {`(?m)^#define (ACP_\w+)\s+\S`, "parameter :: % = "},
		"variable": {`(?m)^extern \w+ (\w+);`, `bind(C, name="%") :: %`},
	} {
		found := regexp.MustCompile(each.find).FindAllStringSubmatch(inC, -1)
		if len(found) == 0 && (what != "variable" || m.name == "acp") {
			t.Errorf("%s: no %s found", m.header, what)
		}
		for _, name := range found {
			n := 0
			for choice := range strings.SplitSeq(each.declaration, "|") {
				n += strings.Count(source, strings.ReplaceAll(choice, "%", name[1]))
			}
			if n != 1 {
				t.Errorf("%s %s: %d times in module %s", what, name[1], n, m.name)
			}
		}
	}
}

// TestModuleOfFixture: a program that uses all that the program has a rule for compiles without a warning, and
// does what it should.
func TestModuleOfFixture(t *testing.T) {
	compiler := fortrantest.Compiler(t, root(t))
	text, err := os.ReadFile("testdata/fixture.h")
	if err != nil {
		t.Fatal(err)
	}
	h, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	source, err := h.source(&modules[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "acp.f90")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I../../lib/fortran", "-c", "testdata/fixture.c", "-o", filepath.Join(dir, "fixture.o"))
	run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I../../lib/acp", "-idirafter", filepath.Dir(fortrantest.BindingHeader(t, root(t))),
		"-c", "../../lib/fortran/goacp_array.c", "-o", filepath.Join(dir, "array.o"))
	args := append(strings.Fields(compiler)[1:], "-std=f2018", "-Wall", "-Wextra", "-Werror", "-J"+dir, "-fcheck=all",
		file, "testdata/fixture.f90", filepath.Join(dir, "fixture.o"), filepath.Join(dir, "array.o"), "-o", filepath.Join(dir, "program"))
	run(strings.Fields(compiler)[0], args...)
	if got, want := run(filepath.Join(dir, "program"), "a b ", "", "c"), "[a b ][][c]\nacp_put_box 16 acp_watch 0 "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRefusals: what there is no rule for is an error that names it.
func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"struct acp_pair;":                                          `no rule for "struct acp_pair"`,
		"typedef struct { int many[4]; } acp_x_t;":                  "acp_x_t: no rule for component many",
		"typedef union acp_u acp_x_t;":                              "acp_x_t: no rule for type union acp_u",
		"typedef double acp_x_t;":                                   "acp_x_t: type acp_x_t is no integer",
		"void acp_f(struct acp_x x);":                               "acp_f: no rule for type struct acp_x",
		"FILE acp_f(void);":                                         "acp_f: no rule for type FILE",
		"#define ACP_X (1 << 2)\nint acp_f(void);":                  "ACP_X: no rule for (1 << 2)",
		"#define ACP_X 1<<2\nint acp_f(void);":                      "ACP_X: no rule for 1<<2",
		"void acp_f(int (*a)(int b));\nvoid acp_g(int (*a)(void));": "acp_g: another procedure is called a",
		"void acp_f(int);":                                          `acp_f: no rule for "int"`,
	} {
		h, err := parse(text)
		if err == nil {
			_, err = h.source(&modules[0])
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}
