package tests

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// private is the version of symbols that only libraries of the same release use.
func private(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(suite.Bin(t, "acpcc"), "-showme:version").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(out))
	return "GOACP_PRIVATE_" + words[len(words)-1]
}

// dynamicSymbols returns the symbols that a program or library defines for others, or those that it needs, with their versions.
func dynamicSymbols(t *testing.T, path string, defined bool) map[string]string {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	symbols := map[string]string{}
	for _, s := range all {
		if (s.Section != elf.SHN_UNDEF) == defined && s.Section != elf.SHN_ABS {
			symbols[s.Name] = s.Version
		}
	}
	return symbols
}

// forSisters reports whether only libraries, and the package for Python, of the same release call a function.
func forSisters(name string) bool {
	return slices.ContainsFunc([]string{"gp", "armci", "dmi", "python"}, func(sister string) bool {
		return strings.HasPrefix(name, "goacp_"+sister+"_")
	})
}

// TestSymbolVersions: each symbol of a shared library has a version: that of functions for programs, or that of the release.
// libgp and libarmci need such versions of libacp or libmacp. libacphook has none, since programs ask for the malloc of libc.
func TestSymbolVersions(t *testing.T) {
	release := private(t)
	versionOf := func(name string) string {
		if forSisters(name) {
			return release
		}
		return "GOACP_2.1"
	}
	count := map[string]int{}
	for _, path := range sharedLibraries(t) {
		hook := strings.HasPrefix(filepath.Base(path), "libacphook")
		for name, version := range dynamicSymbols(t, path, true) {
			want := versionOf(name)
			if hook {
				want = ""
			}
			count[version]++
			if version != want {
				t.Errorf("%s: %s has version %q, expected %q", path, name, version, want)
			}
		}
		for name, version := range dynamicSymbols(t, path, false) {
			if hook { // asks the program for the classes of blocks
				continue
			}
			if own := strings.HasPrefix(name, "goacp_") || strings.HasPrefix(name, "acp_"); own && version != versionOf(name) {
				t.Errorf("%s: needs %s of version %q, expected %q", path, name, version, versionOf(name))
			}
		}
	}
	if count["GOACP_2.1"] < 500 || count[release] < 100 || count[""] < 10 {
		t.Errorf("symbols by versions: %v", count)
	}
}

// TestProgramsNeedPublicVersions: a program that is linked with shared libraries needs versions that later releases have, also
// one in Fortran and one that calls a macro.
func TestProgramsNeedPublicVersions(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Env = append(sandbox.Env, "ACP_LINK=shared")
	build := map[string][]string{
		"pointers": {"acpcc", suite.Source("tests", "programs", "pointers.c"), "-lgp"},
		"iterator": {"acpcc", sandbox.Write("iterator.c", "#include <acp.h>\nint main(int argc, char **argv)\n{\n"+
			"    acp_deque_it_t it = {0};\n    return argc > 9 && acp_dereference_deque_it(it) != ACP_GA_NULL && argv != NULL;\n}\n")},
	}
	if suite.HasFortran() {
		source := func(name string) string { return suite.Source("lib", "acp", "testdata", "fortran", name) }
		build["fortran"] = []string{"acpfc", "-J" + sandbox.Dir, source("checks.f90"), source("arrays.f90")}
	}
	some := map[string]string{"pointers": "GP_Malloc", "iterator": "goacp_deque_it_ga", "fortran": "goacp_fortran_usable"}
	for name, command := range build {
		path := filepath.Join(sandbox.Dir, name)
		sandbox.Must(append(command, "-o", path)...)
		needed := dynamicSymbols(t, path, false)
		if _, ok := needed[some[name]]; !ok {
			t.Errorf("%s does not need %s", name, some[name])
		}
		for symbol, version := range needed {
			if strings.HasPrefix(symbol, "acp_") || strings.HasPrefix(symbol, "goacp_") || strings.HasPrefix(symbol, "GP_") {
				if version != "GOACP_2.1" {
					t.Errorf("%s needs %s of version %q", name, symbol, version)
				}
			}
		}
	}
}

// TestLibrariesOfTwoReleases: the loader refuses a libgp of another release, with a message that names both libraries.
func TestLibrariesOfTwoReleases(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	sandbox.Env = append(sandbox.Env, "ACP_LINK=shared")
	program := filepath.Join(sandbox.Dir, "pointers")
	sandbox.Must("acpcc", suite.Source("tests", "programs", "pointers.c"), "-lgp", "-o", program)
	lines(t, sandbox.Must("acprun", "-np", "2", program, "1"), "2 ranks: 1 arrays$")

	library := suite.Library(harness.MPI{}, "libgp.so")
	text, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	release := private(t)
	other := release[:len(release)-1] + "9"
	later := bytes.ReplaceAll(text, []byte(release), []byte(other))
	sandbox.Write("libgp.so.2", string(later))
	if err := os.Symlink(filepath.Join(filepath.Dir(library), "libacp.so.2"), filepath.Join(sandbox.Dir, "libacp.so.2")); err != nil {
		t.Fatal(err)
	}
	r := sandbox.Run("", "/bin/sh", "-c", `LD_LIBRARY_PATH="$0" "$1" 1`, sandbox.Dir, program)
	if r.Status == 0 || !strings.Contains(r.Stderr, "libacp.so.2: version `"+other+"' not found (required by "+sandbox.Dir+"/libgp.so.2)") {
		t.Errorf("a libgp of another release: %v", r)
	}
}

// TestVersionScript: names of later lists and of later versions go into their nodes. Versions later than the release, and lines
// with anything else, are refused.
func TestVersionScript(t *testing.T) {
	sandbox := suite.Sandbox(t)
	script := suite.Source("build-aux", "versionscript")
	first := sandbox.Write("first.txt", "old\nnew\n")
	second := sandbox.Write("second.txt", "# a comment\nnew 2.3\nhidden_* release # of sisters\n")
	got := strings.Join(strings.Fields(sandbox.Must(script, "2.4.5", first, second)), " ")
	want := "GOACP_2.1 { global: old; local: *; }; GOACP_2.3 { global: new; } GOACP_2.1; GOACP_PRIVATE_2.4.5 { global: hidden_*; } GOACP_2.3;"
	if got != want {
		t.Errorf("%s\nexpected %s", got, want)
	}
	if r := sandbox.Run("", script, "2.2.9", first, second); r.Status == 0 || !strings.Contains(r.Stderr, "new: version 2.3 is later than release 2.2.9") {
		t.Errorf("a version that is later than the release: %v", r)
	}
	third := sandbox.Write("third.txt", "odd public\n")
	if r := sandbox.Run("", script, "2.4.5", third); r.Status == 0 || !strings.Contains(r.Stderr, `"odd public": expected a name and perhaps a version`) {
		t.Errorf("a line with another word: %v", r)
	}
}
