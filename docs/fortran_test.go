package docs

import (
	"fmt"
	"strings"
	"testing"
)

// TestFortranHasEveryFunction: the module acp has every function of the C library.
func TestFortranHasEveryFunction(t *testing.T) {
	const module = "acp/fortran/acp.f90"
	source := read(t, module)
	for _, name := range strings.Fields(read(t, "acp/capi/testdata/symbols.txt")) {
		if !strings.Contains(source, fmt.Sprintf("name=%q", name)) {
			t.Errorf("%s does not have %s: run go generate ./internal/fortrangen", module, name)
		}
	}
}
