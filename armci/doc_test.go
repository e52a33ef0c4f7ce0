package armci_test

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

// TestDocComments: every exported identifier is explained, and every function says which processes
// call it, whether it blocks, and which function of the ARMCI API it is.
func TestDocComments(t *testing.T) {
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
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
	d, err := doc.NewFromFiles(fset, files, "github.com/goacp/goacp/armci")
	if err != nil {
		t.Fatal(err)
	}
	who := regexp.MustCompile(`\bPure\.|\b(Local|Any\s+process|Collective)\.\s+(Does\s+not\s+block|Blocks)\b[\s\S]*\.\s+ARMCI\s+API:\s+(none|P?[A-Za-z]+_\w+)`)
	found := 0
	check := func(f *doc.Func) {
		found++
		if f.Name != "Error" && f.Name != "Unwrap" && !who.MatchString(f.Doc) {
			t.Errorf("the comment of %s does not say who calls it, whether it blocks, or what it is in the ARMCI API:\n%s", f.Name, f.Doc)
		}
	}
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
	if found < 40 {
		t.Errorf("only %d functions were looked at", found)
	}
}
