package docs

import (
	"fmt"
	"strings"
	"testing"
)

// TestFortranHasEveryFunction: the modules have every function of the C library.
func TestFortranHasEveryFunction(t *testing.T) {
	for module, list := range map[string]string{"acp": "symbols", "acp_couple": "couple_symbols"} {
		source := read(t, "lib/fortran/"+module+".f90")
		for _, name := range strings.Fields(read(t, "lib/acp/testdata/"+list+".txt")) {
			if !strings.Contains(source, fmt.Sprintf("name=%q", name)) {
				t.Errorf("module %s does not have %s: run go generate ./gen/fortrangen", module, name)
			}
		}
	}
}
