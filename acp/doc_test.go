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
	// The types with operations, and how many methods they have at least.
	operations := map[string]int{"Process": 30, "ByteVector": 20, "ByteDeque": 24, "ByteList": 30, "SequenceIterator": 2, "Vector": 20, "Deque": 22, "List": 30,
		"ByteSet": 24, "ByteMultiset": 26, "ByteMap": 25, "Set": 18, "Multiset": 20, "Map": 20}
	notOfSpec := map[string]bool{ // additions of the Go API, which have no chapter
		"NewSegBufSource": true, "NewSegBufDestination": true, "Starter": true, "StarterSize": true,
		"Bytes": true, "AssignValues": true, "Slice": true, "All": true, "Backward": true, "Err": true,
		"Jobs": true, "JobOf": true, "FindJob": true, "SyncRanks": true, "Broadcast": true,
		"PutValue": true, "GetValue": true, "WaitValue": true,
		"Address": true, "AllLocal": true, "Keys": true, "Values": true, "Store": true, "WithContext": true,
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
	for _, typ := range d.Types {
		if typ.Doc == "" {
			t.Errorf("type %s has no comment", typ.Name)
		}
		for _, f := range typ.Funcs {
			if typ.Name == "Process" {
				operation(f)
			}
		}
		found := 0
		for _, m := range typ.Methods {
			if operations[typ.Name] > 0 && ast.IsExported(m.Name) {
				found++
				operation(m)
			} else if m.Doc == "" {
				t.Errorf("%s.%s has no comment", typ.Name, m.Name)
			}
		}
		if found < operations[typ.Name] {
			t.Errorf("only %d methods of %s were looked at", found, typ.Name)
		}
	}
	for _, f := range d.Funcs {
		if f.Doc == "" {
			t.Errorf("%s has no comment", f.Name)
		}
	}
}
