package couple_test

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

// TestDocComments: every exported identifier is explained, and every function says which ranks call
// it and whether it blocks.
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
	d, err := doc.NewFromFiles(fset, files, "github.com/goacp/goacp/couple")
	if err != nil {
		t.Fatal(err)
	}
	who := regexp.MustCompile(`\b(Local|Collective(\s+for\s+[a-z\s]+)?)\.\s+(Does\s+not\s+block|Blocks)\b`)
	found := 0
	check := func(f *doc.Func) {
		found++
		if !who.MatchString(f.Doc) {
			t.Errorf("the comment of %s does not say who calls it, or whether it blocks:\n%s", f.Name, f.Doc)
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
	if found < 10 {
		t.Errorf("only %d functions were looked at", found)
	}
}
