package mpi_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const importPath = "github.com/goacp/goacp/mpi"

// parse returns the package as it is with MPI, and its tests.
func parse(t *testing.T) (fset *token.FileSet, files, tests []*ast.File) {
	t.Helper()
	fset = token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.Contains(name, "nompi") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, f)
		} else {
			files = append(files, f)
		}
	}
	return fset, files, tests
}

// TestDocComments: every exported identifier is explained, and every function that
// involves MPI says which processes call it, whether it blocks, and the chapter of MPI.
func TestDocComments(t *testing.T) {
	fset, files, _ := parse(t)
	d, err := doc.NewFromFiles(fset, files, importPath)
	if err != nil {
		t.Fatal(err)
	}
	chapter := regexp.MustCompile(`MPI\s+\d+(\.\d+)*\b.*\.\s*$`)
	callers := regexp.MustCompile(`\b(Local|Collective\s+over\s+[^.]*|Safe\s+for\s+concurrent\s+use)\.`)
	blocks := regexp.MustCompile(`(?i)\b(does\s+not\s+block|(may\s+)?blocks?)\b`)
	// Functions that do not call MPI, or return before a call could block.
	plain := map[string]bool{"Available": true, "Vendor": true, "Owned": true, "String": true, "Error": true, "Unwrap": true, "Type.Size": true, "Library.Major": true}
	instant := map[string]bool{"LibraryVersion": true, "Initialized": true, "Finalized": true, "QueryThread": true}
	found := 0
	check := func(f *doc.Func) {
		if !ast.IsExported(f.Name) {
			return
		}
		found++
		if plain[f.Name] || plain[f.Recv+"."+f.Name] {
			if f.Doc == "" {
				t.Errorf("%s.%s has no comment", f.Recv, f.Name)
			}
			return
		}
		if !chapter.MatchString(f.Doc) || !callers.MatchString(f.Doc) || !blocks.MatchString(f.Doc) && !instant[f.Name] {
			t.Errorf("the comment of %s.%s lacks which processes call it, whether it blocks, or its chapter at the end:\n%s", f.Recv, f.Name, f.Doc)
		}
	}
	values := func(typ string, all []*doc.Value) {
		for _, v := range all {
			if ast.IsExported(v.Names[0]) && v.Doc == "" {
				t.Errorf("%s %v have no comment", typ, v.Names)
			}
		}
	}
	for _, typ := range d.Types {
		if typ.Doc == "" {
			t.Errorf("type %s has no comment", typ.Name)
		}
		values(typ.Name, typ.Consts)
		values(typ.Name, typ.Vars)
		for _, f := range append(typ.Funcs, typ.Methods...) {
			check(f)
		}
	}
	values("", d.Consts)
	values("", d.Vars)
	for _, f := range d.Funcs {
		check(f)
	}
	if found < 70 {
		t.Errorf("only %d functions were looked at", found)
	}
}

// TestEverythingIsTested: every exported function and method of the package is
// called by its tests.
func TestEverythingIsTested(t *testing.T) {
	fset, files, tests := parse(t)
	config := types.Config{
		FakeImportC: true,
		Error:       func(error) {}, // other packages are empty here
		Importer:    imports{},
	}
	pkg, _ := config.Check(importPath, fset, files, nil)
	// The methods of fields and of what functions of other packages return are not
	// found, nor are those that a test never mentions.
	uses := map[types.Object]bool{}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config.Importer = imports{importPath: pkg}
	var outside []*ast.File
	for _, f := range tests {
		if f.Name.Name == "mpi_test" {
			outside = append(outside, f)
		}
	}
	_, _ = config.Check(importPath+"_test", fset, outside, info)
	for _, o := range info.Uses {
		uses[o] = true
	}
	count := 0
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		var functions []*types.Func
		switch o := o.(type) {
		case *types.Func:
			functions = append(functions, o)
		case *types.TypeName:
			named, ok := o.Type().(*types.Named)
			for i := 0; ok && i < named.NumMethods(); i++ {
				functions = append(functions, named.Method(i))
			}
		}
		for _, f := range functions {
			// Errors are unwrapped by package errors.
			if !f.Exported() || f.Name() == "Unwrap" {
				continue
			}
			count++
			if !uses[f] {
				t.Errorf("no test calls %s", f.FullName())
			}
		}
	}
	if count < 70 {
		t.Errorf("only %d functions were looked for", count)
	}
}

// imports are packages by path; others are empty.
type imports map[string]*types.Package

func (i imports) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	p := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
	p.MarkComplete()
	if i != nil {
		i[path] = p
	}
	return p, nil
}
