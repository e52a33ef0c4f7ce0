package acp_test

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

// TestDocComments: every exported identifier is explained, and every operation of the
// specification says who calls it, whether it blocks, and its chapter.
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
	d, err := doc.NewFromFiles(fset, files, "github.com/goacp/goacp/acp")
	if err != nil {
		t.Fatal(err)
	}
	chapter := regexp.MustCompile(`Spec\s+4\.\d+\.\d+`)
	who := regexp.MustCompile(`\b(Local|Any\s+rank|Collective)\.`)
	blocks := regexp.MustCompile(`(?i)\b(does\s+not\s+(block|wait)|blocks?|waits?)\b`)
	notOfSpec := map[string]bool{ // additions of the Go API, which have no chapter
		"Direct": true, "FinishSync": true, "Channel": true, "Request": true,
		"NewSegBufSource": true, "NewSegBufDestination": true, "Starter": true, "StarterSize": true,
		"Resolve": true, "Forward": true, "Serve": true, "Notify": true, "PeerLost": true,
	}
	operation := func(f *doc.Func) {
		if f.Doc == "" {
			t.Errorf("%s has no comment", f.Name)
		}
		if notOfSpec[f.Name] {
			return
		}
		if !chapter.MatchString(f.Doc) || !who.MatchString(f.Doc) || !blocks.MatchString(f.Doc) {
			t.Errorf("the comment of %s lacks its chapter, who calls it, or whether it blocks:\n%s", f.Name, f.Doc)
		}
	}
	found := 0
	for _, typ := range d.Types {
		if typ.Doc == "" {
			t.Errorf("type %s has no comment", typ.Name)
		}
		for _, f := range typ.Funcs {
			if typ.Name == "Process" {
				operation(f)
			}
		}
		for _, m := range typ.Methods {
			if typ.Name == "Process" && ast.IsExported(m.Name) {
				found++
				operation(m)
			} else if m.Doc == "" {
				t.Errorf("%s.%s has no comment", typ.Name, m.Name)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d methods of Process were looked at", found)
	}
	for _, f := range d.Funcs {
		if f.Doc == "" {
			t.Errorf("%s has no comment", f.Name)
		}
	}
}
