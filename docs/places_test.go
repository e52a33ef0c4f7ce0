package docs

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// design is the page with the picture of the packages.
const design = "docs/design/README.md"

// firstColumns returns the first and the other columns of the rows of a table.
func firstColumns(table string) (rows [][2]string) {
	for _, line := range strings.Split(table, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		first, rest, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		rows = append(rows, [2]string{first, rest})
	}
	return rows
}

// apart are packages that the picture leaves out: programs that use the library, and what
// serves tests and building alone.
var apart = regexp.MustCompile(`^(bench|examples|tests|wrappers|docs/testdata|gen|internal/acptest)(/|$)|test$`)

// rows returns the folders of the picture with their rows, which count from the top.
func rows(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	for i, line := range strings.Split(between(t, design, "<!-- packages -->", "<!-- end of packages -->"), "\n") {
		for _, column := range columns.Split(line, -1)[1:] {
			all[column] = i
		}
	}
	return all
}

// columns separates the columns of the picture.
var columns = regexp.MustCompile(`\s{2,}`)

// folderIn returns which folder of the picture has a package.
func folderIn(rows map[string]int, path string) string {
	for ; path != "."; path = filepath.Dir(path) {
		if rows[path] != 0 {
			return path
		}
	}
	return ""
}

// TestImportsGoDown: the folders of the picture have all packages. A package imports packages of the rows below its
// own, and of its own folder.
func TestImportsGoDown(t *testing.T) {
	rows := rows(t)
	empty := maps.Clone(rows)
	for path, p := range goPackages(t) {
		if apart.MatchString(path) {
			continue
		}
		folder := folderIn(rows, path)
		if folder == "" {
			t.Errorf("the picture in %s does not have package %s", design, path)
			continue
		}
		delete(empty, folder)
		for imported := range p.imports {
			if of := folderIn(rows, imported); of != folder && rows[of] <= rows[folder] {
				t.Errorf("%s imports %s, which in %s is not below it", path, imported, design)
			}
		}
	}
	for folder := range empty {
		t.Errorf("the picture in %s has folder %s, in which no package is", design, folder)
	}
}

// TestVariablesAreExplained: the table of environment variables has those of package envvar
// and no others.
func TestVariablesAreExplained(t *testing.T) {
	const page = "docs/design/start.md"
	_, rest, _ := strings.Cut(read(t, page), "| variable | meaning |")
	table, _, _ := strings.Cut(rest, "\n\n")
	var found []string
	for _, row := range firstColumns(table) {
		found = append(found, code(row[0])...)
	}
	var want []string
	for _, m := range goString.FindAllStringSubmatch(read(t, "internal/ground/envvar/envvar.go"), -1) {
		want = append(want, m[1])
	}
	slices.Sort(found)
	slices.Sort(want)
	if !slices.Equal(found, want) {
		t.Errorf("%s explains the variables %v, expected %v", page, found, want)
	}
}
