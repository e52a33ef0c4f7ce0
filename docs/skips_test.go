package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSkipsAreListed: the tables of tests that are skipped have every file in which a test can be
// skipped for another reason than -short, and every test in them is in its file.
func TestSkipsAreListed(t *testing.T) {
	var listed []string
	for _, row := range firstColumns(between(t, testingPage, "<!-- may be skipped -->", "<!-- end of may be skipped -->")) {
		column, _, _ := strings.Cut(row[1], " | ")
		files := code(column)
		// The last file skips. The tests are in the first one.
		listed = append(listed, files[len(files)-1])
		for _, test := range code(row[0]) {
			if !strings.Contains(read(t, files[0]), "func "+test+"(t *testing.T)") {
				t.Errorf("%s: there is no %s in %s", testingPage, test, files[0])
			}
		}
	}
	for _, row := range firstColumns(between(t, testingPage, "<!-- skipped elsewhere -->", "<!-- end of skipped elsewhere -->")) {
		listed = append(listed, code(row[0])...)
	}
	found := map[string]bool{}
	for name := range sourceFiles(t) {
		if strings.HasSuffix(name, ".go") && skips(t, name) {
			found[name] = true
		}
	}
	for name := range found {
		if !slices.Contains(listed, name) {
			t.Errorf("%s does not say when tests are skipped by %s", testingPage, name)
		}
	}
	for _, name := range listed {
		if !found[name] {
			t.Errorf("%s says that tests are skipped by %s, which skips none", testingPage, name)
		}
	}
}

// skips reports whether a file skips tests, other than those that begin with a look at -short.
func skips(t *testing.T, name string) bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			return !callOf(n.Cond, "testing", "Short")
		case *ast.CallExpr:
			found = found || callOf(n, "t", "Skip", "Skipf", "SkipNow")
		}
		return true
	})
	return found
}

// callOf reports whether an expression calls a function with one of the names, of a package or
// variable, or of a field with the name of that variable.
func callOf(e ast.Expr, of string, names ...string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(names, f.Sel.Name) {
		return false
	}
	switch x := f.X.(type) {
	case *ast.Ident:
		return x.Name == of
	case *ast.SelectorExpr:
		return x.Sel.Name == of
	}
	return false
}

// TestCheckRefusesSkips runs the script by which make check runs tests, with a go command that
// skips some.
func TestCheckRefusesSkips(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(".ci/gotest", read(t, ".ci/gotest"))
	write(testingPage, "| `TestElsewhere` | |\n<!-- may be skipped -->\n| test | file |\n| --- | --- |\n| `TestOne`, `TestTwo` | `x` |\n| `TestThree` | `y` |\n<!-- end of may be skipped -->\n| `TestElsewhere` | |\n")
	write("bin/id", "#!/bin/sh\necho $USER_ID\n")
	write("bin/go", "#!/bin/sh\nprintf '%b' \"$OUTPUT\"\nexit $STATUS\n")
	for _, c := range []struct {
		skipped, user, status string
		want                  string // in the output; "" if the script succeeds
	}{
		{"TestOne", "0", "0", ""},
		{"TestTwo", "0", "0", ""},
		{"TestThree/part", "0", "0", ""},
		{"TestElsewhere", "0", "0", "must not be skipped, see docs/testing.md: TestElsewhere\n"},
		{"TestFour/TestOne", "0", "0", "must not be skipped, see docs/testing.md: TestFour/TestOne\n"},
		{"TestElsewhere", "1000", "0", ""},
		{"TestOne", "0", "1", "0 failed, 1 skipped\n"},
	} {
		cmd := exec.Command(filepath.Join(dir, ".ci", "gotest"), "unit", "./...")
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "GO=go",
			"USER_ID="+c.user, "STATUS="+c.status, `OUTPUT=--- PASS: TestA (0.00s)\n    --- SKIP: `+c.skipped+` (0.00s)\nok  \tx\t0.1s\n`)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (c.want == "") || !strings.Contains(string(out), c.want) || !strings.Contains(string(out), "unit: 1 passed, 0 failed, 1 skipped\nok") {
			t.Errorf("%+v: %v\n%s", c, err, out)
		}
	}
}
