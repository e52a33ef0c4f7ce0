package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const testingPage = "docs/testing.md"

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

// TestFuzzTargetsAreListed: the table of fuzz targets has each, beside its file.
func TestFuzzTargetsAreListed(t *testing.T) {
	var found, want []string
	for _, row := range firstColumns(between(t, testingPage, "<!-- fuzz targets -->", "<!-- end of fuzz targets -->")) {
		for _, target := range code(row[0]) {
			for _, file := range code(row[1]) {
				if filepath.Ext(file) == ".go" && strings.Contains(read(t, file), "func "+target+"(") {
					found = append(found, file+" "+target)
				}
			}
		}
	}
	for name := range sourceFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			for _, m := range fuzzTarget.FindAllStringSubmatch(read(t, name), -1) {
				want = append(want, name+" "+m[1])
			}
		}
	}
	slices.Sort(found)
	slices.Sort(want)
	for _, target := range want {
		if !slices.Contains(found, target) {
			t.Errorf("%s does not have %s", testingPage, target)
		}
	}
	if len(found) != len(want) {
		t.Errorf("%s has %d fuzz targets, expected %d", testingPage, len(found), len(want))
	}
}
