package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLimitsOfEmulators: each row of limits.txt names tests that exist and a probe, and the page about testing lists
// exactly the probes that rows need.
func TestLimitsOfEmulators(t *testing.T) {
	const folder = "tests/arm64"
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(between(t, "docs/testing.md", "<!-- probes -->", "<!-- end of probes -->"), -1) {
		shown[m[1]] = true
	}
	used := map[string]bool{"child_subreaper": true} // by programs.sh
	for row := range strings.Lines(read(t, folder+"/limits.txt")) {
		if row = strings.TrimSpace(row); row == "" || strings.HasPrefix(row, "#") {
			continue
		}
		columns := strings.Split(row, " | ")
		if len(columns) != 4 {
			t.Errorf("%d columns, expected 4: %s", len(columns), row)
			continue
		}
		test, _, _ := strings.Cut(columns[1], "/")
		if !hasTest(t, filepath.Join(root, columns[0]), test) {
			t.Errorf("package %s has no %s", columns[0], test)
		}
		used[columns[2]] = true
	}
	programs, err := filepath.Glob(filepath.Join(root, folder, "probes/*.c"))
	if err != nil {
		t.Fatal(err)
	}
	probes := map[string]bool{"stlr_ldar": true} // of check.sh
	for _, path := range programs {
		probes[strings.TrimSuffix(filepath.Base(path), ".c")] = true
	}
	for probe := range used {
		if !probes[probe] {
			t.Errorf("limits.txt: there is no probe %s", probe)
		}
	}
	for probe := range probes {
		if !used[probe] || !shown[probe] {
			t.Errorf("probe %s: a row of limits.txt needs it: %v, testing.md shows it: %v", probe, used[probe], shown[probe])
		}
	}
	for probe := range shown {
		if !probes[probe] {
			t.Errorf("testing.md shows a probe %s, which does not exist", probe)
		}
	}
}

// hasTest reports whether the tests of a package have a function.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(folder + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
