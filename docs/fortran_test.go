package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/gen/fortrangen/fortrantest"
)

// TestFortranHasEveryFunction: the modules have every function of the C library.
func TestFortranHasEveryFunction(t *testing.T) {
	dir := t.TempDir()
	fortrantest.Modules(t, "..", dir)
	for module, list := range map[string]string{"acp": "symbols", "acp_couple": "couple_symbols"} {
		source, err := os.ReadFile(filepath.Join(dir, module+".f90"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(read(t, "lib/acp/"+list+".txt")) {
			if !strings.Contains(string(source), fmt.Sprintf("name=%q", name)) {
				t.Errorf("module %s does not have %s", module, name)
			}
		}
	}
}
