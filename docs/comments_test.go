package docs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocComments: every exported type of a system is explained, and every function says which
// processes call it and whether it blocks. TestDocCommentsOfACP has the rules of package acp.
func TestDocComments(t *testing.T) {
	for _, c := range []struct {
		folder string
		says   string // what the comment of a function says
		least  int    // how many functions there are at least
	}{
		{"armci", `\bPure\.|\b(Local|Any\s+process|Collective)\.\s+(Does\s+not\s+block|Blocks)\b[\s\S]*\.\s+ARMCI\s+API:\s+(none|P?[A-Za-z]+_\w+)`, 40},
		{"couple", `\b(Local|Collective(\s+for\s+[a-z\s]+)?)\.\s+(Does\s+not\s+block|Blocks)\b`, 10},
		{"gp", `\bPure\.|\b(Local|Any\s+rank|Collective)\.\s+(Does\s+not\s+block|Blocks)\b`, 40},
	} {
		t.Run(c.folder, func(t *testing.T) {
			says, found := regexp.MustCompile(c.says), 0
			check := func(f *doc.Func) {
				found++
				if ofErrors := f.Name == "Error" || f.Name == "Unwrap"; !ofErrors && !says.MatchString(f.Doc) {
					t.Errorf("the comment of %s does not match %s:\n%s", f.Name, says, f.Doc)
				}
			}
			d := documentation(t, c.folder)
			for _, f := range d.Funcs {
				check(f)
			}
			for _, typ := range d.Types {
				if typ.Doc == "" {
					t.Errorf("type %s has no comment", typ.Name)
				}
				for _, f := range append(typ.Funcs, typ.Methods...) {
					check(f)
				}
			}
			if found < c.least {
				t.Errorf("only %d functions were looked at", found)
			}
		})
	}
}

// documentation returns the documentation of the package in a folder.
func documentation(t *testing.T, folder string) *doc.Package {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, module+"/"+folder)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
