package extensiontest

import (
	"testing"

	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
	_ "github.com/goacp/goacp/internal/structure/message"
	_ "github.com/goacp/goacp/internal/system/armci/core"
	_ "github.com/goacp/goacp/internal/system/couple/link"
	_ "github.com/goacp/goacp/internal/system/gp/array"
)

// TestNumbers registers all extensions of the library in one program. Each has the range of numbers
// that is for it in the table of package am, and no number beyond.
func TestNumbers(t *testing.T) {
	want := map[string]extension.Signature{
		"armci message": {First: am.OpMessage},
		"armci":         {First: am.OpARMCI},
		"gp":            {First: am.OpGP},
		"couple":        {First: am.OpCouple},
		"ledger":        {First: am.OpTest},
	}
	firsts := make(map[am.Op]string)
	for _, s := range extension.Signatures(extension.Sealed()) {
		if other, taken := firsts[s.First]; taken {
			t.Errorf("%s and %s have the same numbers, from %#x on", s.Name, other, s.First)
		}
		firsts[s.First] = s.Name
		w, ok := want[s.Name]
		if !ok || s.First != w.First {
			t.Errorf("numbers of %v, want those from %#x on", s, w.First)
		}
		if last := s.First + am.Op(max(s.Operations, s.Notices)) - 1; last.Range() != s.First {
			t.Errorf("%v ends with %#x, beyond its range", s, last)
		}
		delete(want, s.Name)
	}
	for name := range want {
		t.Errorf("no extension %s", name)
	}
}
