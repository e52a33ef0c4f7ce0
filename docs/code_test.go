package docs

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeFence = regexp.MustCompile("(?m)^ *```([a-z]+)$")
	// pageOfTest is the name of a page in the source of a test.
	pageOfTest = regexp.MustCompile(`"(?:\.\./)*(?:docs/)?([a-z-]+\.md)"`)
)

// unchecked are blocks that no test compiles or runs, with the reason.
var unchecked = map[string]string{
	"docs/couple.md python":         "a part of a program",
	"docs/couple-inspect.md python": "needs the package netCDF4",
	"docs/first-run.md sh":          "installs GoACP",
}

// TestCodeIsChecked: a test compiles or runs the code of each page. It has the name of the page in its source, in a file that knows the
// language.
func TestCodeIsChecked(t *testing.T) {
	checks := map[string][]string{ // files with tests of a language
		"c":       {"lib/acp/docs_test.go", "docs/examples_test.go", "tests/manual_test.go", "tests/guides_test.go"},
		"cpp":     {"lib/acp/cpp_test.go", "tests/manual_test.go", "tests/guides_test.go"},
		"fortran": {"lib/acp/fortran_test.go", "tests/manual_test.go", "tests/guides_test.go"},
		"go":      {"docs/gocode_test.go", "docs/examples_test.go", "tests/module_test.go", "tests/manual_test.go", "tests/guides_test.go", "mpi/manual_mpi_test.go"},
		"python":  {"tests/python_test.go", "tests/manual_test.go", "tests/guides_test.go"},
		"sh":      {"tests/module_test.go", "tests/manual_test.go", "tests/guides_test.go", "mpi/manual_mpi_test.go"},
		"gomod":   {"tests/module_test.go"},
	}
	// TestDescriptions of internal/launch/config reads the descriptions of runs on all pages.
	others := []string{"yaml", "inputfile", "cmake", "text"}
	named := map[string][]string{} // pages by files
	for _, files := range checks {
		for _, file := range files {
			for _, m := range pageOfTest.FindAllStringSubmatch(read(t, file), -1) {
				named[file] = append(named[file], m[1])
			}
		}
	}
	for _, p := range pages(t) {
		text := quote.ReplaceAllString(p.text, "")
		for _, m := range codeFence.FindAllStringSubmatch(text, -1) {
			files, known := checks[m[1]]
			switch {
			case slices.Contains(others, m[1]) || unchecked[p.name+" "+m[1]] != "":
			case !known:
				t.Errorf("%s has code of the unknown language %s", p.name, m[1])
			case !slices.ContainsFunc(files, func(f string) bool { return slices.Contains(named[f], path.Base(p.name)) }):
				t.Errorf("%s has code in %s, and none of %s names the page", p.name, m[1], strings.Join(files, ", "))
			}
		}
	}
}
