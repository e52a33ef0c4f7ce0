package tests

import (
	"os"
	"path/filepath"
	"testing"
)

// modulecmd reads a module file as module load does: it prints each command that changes the environment.
const modulecmd = `
set ModulesCurrentModulefile [lindex $argv 0]
foreach command {conflict setenv prepend-path module-whatis} {
    proc $command {args} "puts \"$command \[join \$args { }\]\""
}
source $ModulesCurrentModulefile
`

// moduleFile checks the module file of an installation that was configured for another prefix, and a copy of the file.
func moduleFile(t *testing.T, configured, prefix string) {
	t.Helper()
	sandbox := suite.Sandbox(t)
	files, err := filepath.Glob(filepath.Join(prefix, "share", "modulefiles", "goacp", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("module files %q, %v", files, err)
	}
	reader := sandbox.Write("modulecmd.tcl", modulecmd)
	copied := filepath.Join(sandbox.Dir, filepath.Base(files[0]))
	text, err := os.ReadFile(files[0])
	if err == nil {
		err = os.WriteFile(copied, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for file, where := range map[string]string{files[0]: prefix, copied: configured} {
		lines(t, sandbox.Must("/bin/sh", "-c", `tclsh "$0" "$1" | grep -v whatis`, reader, file),
			"conflict goacp$", "setenv GOACP_ROOT "+where+"$", "prepend-path PATH "+where+"/bin$",
			"prepend-path PKG_CONFIG_PATH "+where+"/lib/pkgconfig$", "prepend-path CMAKE_PREFIX_PATH "+where+"$",
			"prepend-path PYTHONPATH "+where+"/lib/python3/site-packages$")
	}
}
