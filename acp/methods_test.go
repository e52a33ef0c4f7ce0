package acp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
)

// declaredMethods returns the exported methods that the sources of package acp declare, by name
// of the type.
func declaredMethods(t *testing.T) map[string]map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	methods := make(map[string]map[string]bool)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Recv == nil || !d.Name.IsExported() {
				continue
			}
			name := receiver(d.Recv.List[0].Type)
			if methods[name] == nil {
				methods[name] = make(map[string]bool)
			}
			methods[name][d.Name.Name] = true
		}
	}
	return methods
}

// bytesOnly are types that methods of structures of Go values do not have in their signatures.
var bytesOnly = []reflect.Type{
	reflect.TypeFor[acp.Element](), reflect.TypeFor[acp.Pair](),
	reflect.TypeFor[acp.SequenceIterator](), reflect.TypeFor[acp.TableIterator](),
}

// TestMethodsOfStructures: every method of a structure is declared for that structure, so that its comment is
// about that structure. Structures of Go values have no methods for bytes.
func TestMethodsOfStructures(t *testing.T) {
	declared := declaredMethods(t)
	run(t, 1, acp.Config{}, func(p *member) error {
		for name, s := range structures(p.Process) {
			typ := reflect.TypeOf(s)
			if typ.NumMethod() < 15 {
				t.Errorf("%s has only %d methods", name, typ.NumMethod())
			}
			for i := range typ.NumMethod() {
				m := typ.Method(i)
				if !declared[name][m.Name] {
					t.Errorf("%s.%s is the method of an embedded type", name, m.Name)
				}
				if !strings.HasPrefix(name, "Byte") {
					checkSignature(t, name, m)
				}
			}
		}
		return nil
	})
}

// checkSignature reports types for bytes in the signature of a method.
func checkSignature(t *testing.T, name string, m reflect.Method) {
	t.Helper()
	var all []reflect.Type
	for i := range m.Type.NumIn() {
		all = append(all, m.Type.In(i))
	}
	for i := range m.Type.NumOut() {
		all = append(all, m.Type.Out(i))
	}
	for _, typ := range all {
		for _, bad := range bytesOnly {
			if typ == bad {
				t.Errorf("%s.%s is in terms of %v", name, m.Name, bad)
			}
		}
		if typ == reflect.TypeFor[acp.GA]() && m.Name != "Address" {
			t.Errorf("%s.%s is in terms of addresses", name, m.Name)
		}
	}
}
