package docs

import (
	"go/ast"
	"go/doc"
	"regexp"
	"strings"
	"testing"
)

// TestDocCommentsOfACP: every exported identifier of package acp is explained, and every operation
// says which ranks call it and whether it blocks. Operations of the specification name their chapter.
func TestDocCommentsOfACP(t *testing.T) {
	d := documentation(t, "acp")
	chapter := regexp.MustCompile(`Spec\s+4\.\d+\.\d+`)
	caller := regexp.MustCompile(`\b(Local|Any\s+rank(\s+of\s+the\s+list)?|Collective)\.`)
	blocks := regexp.MustCompile(`(?i)\b(does\s+not\s+(block|wait)|blocks?|waits?)\b`)
	// The types with operations, and how many methods they have at least.
	operations := map[string]int{"Process": 30, "ByteVector": 20, "ByteDeque": 24, "ByteList": 30, "SequenceIterator": 2, "Vector": 20, "Deque": 22, "List": 30,
		"ByteSet": 24, "ByteMultiset": 26, "ByteMap": 25, "Set": 18, "Multiset": 20, "Map": 20}
	notOfSpec := map[string]bool{ // additions of the Go API, which have no chapter
		"NewSegBufSource": true, "NewSegBufDestination": true, "Starter": true, "StarterSize": true,
		"Bytes": true, "AssignValues": true, "Slice": true, "All": true, "Backward": true, "Err": true,
		"Seats": true, "State": true, "Cohort": true, "AwaitChange": true, "InitWith": true,
		"Epoch": true, "Adopt": true, "Asked": true, "AskLeave": true, "AskJoin": true, "AskJoinNear": true,
		"Jobs": true, "JobAt": true, "JobOf": true, "FindJob": true, "SyncRanks": true, "Broadcast": true,
		"PutValue": true, "Stats": true, "GetValue": true, "WaitValue": true,
		"Address": true, "AllLocal": true, "Keys": true, "Values": true, "Store": true, "WithContext": true,
	}
	operation := func(f *doc.Func) {
		if f.Doc == "" {
			t.Errorf("%s has no comment", f.Name)
		}
		if !caller.MatchString(f.Doc) || !blocks.MatchString(f.Doc) {
			t.Errorf("the comment of %s does not say which ranks call it, or whether it blocks:\n%s", f.Name, f.Doc)
		}
		addition := notOfSpec[f.Name] || strings.HasSuffix(f.Name, "Many")
		if !addition && !chapter.MatchString(f.Doc) {
			t.Errorf("the comment of %s lacks its chapter:\n%s", f.Name, f.Doc)
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
