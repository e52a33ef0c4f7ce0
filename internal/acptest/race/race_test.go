package race_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// TestPlainHasAll: make check runs each test that does less under the race detector without it, too: by check-plain, or, in package acp,
// among all tests of the build with the first MPI. The test finds them by the names of what they use.
func TestPlainHasAll(t *testing.T) {
	names, packages := plainTests(t)
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case d.Name() == "build" || d.Name() == "vendor" || d.Name() == ".git":
			return fs.SkipDir
		}
		folder, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for name := range dependents(t, path) {
			found[name] = true
			if !names[name] {
				t.Errorf("%s: %s does less under the race detector, and PLAIN in the Makefile does not have it", folder, name)
			}
			if folder != "acp" && !slices.ContainsFunc(packages, func(p string) bool {
				parent, all := strings.CutSuffix(p, "/...")
				return folder == parent || all && strings.HasPrefix(folder, parent+"/")
			}) {
				t.Errorf("%s: %s does less under the race detector, and check-plain in the Makefile tests %q", folder, name, packages)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !found[name] {
			t.Errorf("PLAIN in the Makefile has %s, which is the same with and without the race detector", name)
		}
	}
}

// plainTests returns the tests that check-plain of the Makefile runs, and its packages as folders of the source tree.
func plainTests(t *testing.T) (names map[string]bool, packages []string) {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?m)^PLAIN = (.*)\ncheck-plain:\n\t(.*)$`).FindSubmatch(makefile)
	if parts == nil {
		t.Fatal("the Makefile has no PLAIN with check-plain behind it")
	}
	names = map[string]bool{}
	for name := range strings.SplitSeq(string(parts[1]), "|") {
		names[name] = true
	}
	for word := range strings.FieldsSeq(string(parts[2])) {
		if folder, is := strings.CutPrefix(word, "./"); is {
			packages = append(packages, folder)
		}
	}
	return names, packages
}

// dependents returns the tests in a folder that use package race, directly or through other declarations of their package.
func dependents(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]map[string]bool{} // by declaration, the names in it
	tainted := map[string]bool{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			for name, node := range declared(decl) {
				names := map[string]bool{}
				ast.Inspect(node, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.SelectorExpr:
						if of, ok := n.X.(*ast.Ident); ok && of.Name == "race" {
							tainted[name] = true
						}
					case *ast.Ident:
						names[n.Name] = true
					}
					return true
				})
				uses[name] = names
			}
		}
	}
	for more := len(tainted) > 0; more; {
		more = false
		for name, names := range uses {
			for used := range names {
				if tainted[used] && !tainted[name] {
					tainted[name], more = true, true
				}
			}
		}
	}
	tests := map[string]bool{}
	for name := range tainted {
		if strings.HasPrefix(name, "Test") && name != "TestMain" {
			tests[name] = true
		}
	}
	return tests
}

// declared returns what a declaration declares, by name.
func declared(decl ast.Decl) map[string]ast.Node {
	all := map[string]ast.Node{}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		all[decl.Name.Name] = decl
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if values, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range values.Names {
					all[name.Name] = values
				}
			}
		}
	}
	return all
}
