package am

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestRanges: the ranges of the table begin at multiples of their size and do not overlap. Those that
// processes have used stay where they are.
func TestRanges(t *testing.T) {
	want := map[string]Op{
		"OpHeap": 0x0100, "OpProgress": 0x0200, "OpFabric": 0x0300, "OpNamed": 0x0400, "OpVector": 0x0500, "OpDeque": 0x0600,
		"OpList": 0x0700, "OpHash": 0x0800, "OpChannel": 0x0900, "OpSegbuf": 0x0a00,
		"OpMessage": 0x4000, "OpARMCI": 0x4100, "OpGP": 0x4200, "OpCouple": 0x4300, "OpDMI": 0x4400, "OpDMIThread": 0x4500, "OpTest": 0xf000,
	}
	byFirst := make(map[Op]string)
	for name, first := range ranges(t) {
		if other, taken := byFirst[first]; taken {
			t.Errorf("%s and %s are both %#x", name, other, first)
		}
		byFirst[first] = name
		if first != first.Range() || first == 0 {
			t.Errorf("%s is %#x, where no range begins", name, first)
		}
		if first > OpTest {
			t.Errorf("%s is %#x, which is for tests", name, first)
		}
		if first != want[name] {
			t.Errorf("%s is %#x, want %#x", name, first, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("the table has no %s", name)
	}
}

// ranges returns the constants of the table in number.go.
func ranges(t *testing.T) map[string]Op {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "number.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]Op)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "Op" {
			value, ok := spec.Values[0].(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s has no number", spec.Names[0].Name)
			}
			first, err := strconv.ParseUint(value.Value, 0, 16)
			if err != nil {
				t.Fatal(err)
			}
			all[spec.Names[0].Name] = Op(first)
		}
		return true
	})
	return all
}
