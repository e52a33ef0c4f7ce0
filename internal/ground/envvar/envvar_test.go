package envvar

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var name = regexp.MustCompile(`"(ACP_[A-Z0-9_]+)"`)

// TestNamesAreDefinedOnce: no other file of the packages has one of the names.
func TestNamesAreDefinedOnce(t *testing.T) {
	own, err := os.ReadFile("envvar.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]int{}
	for _, m := range name.FindAllStringSubmatch(string(own), -1) {
		if defined[m[1]]++; defined[m[1]] > 1 {
			t.Errorf("%s is defined twice", m[1])
		}
	}
	for _, folder := range []string{"acp", "bridge", "internal", "lib", "mpi", "acprun", "macprun", "wrappers"} {
		err := filepath.WalkDir(filepath.Join("../../..", folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "envvar.go" {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range name.FindAllStringSubmatch(string(text), -1) {
				if defined[m[1]] > 0 {
					t.Errorf("%s has the name %s", path, m[1])
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
