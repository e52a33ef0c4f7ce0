package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the top folder of the source.
const root = ".."

// page is one file of the manual.
type page struct {
	name string // relative to root
	text string
}

// pages returns the manual.
func pages(t *testing.T) []page {
	t.Helper()
	names := []string{"README.md", "CONTRIBUTING.md"}
	for _, pattern := range []string{"*.md", "design/*.md"} {
		manual, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(manual) == 0 {
			t.Fatalf("docs has no pages %s", pattern)
		}
		for _, name := range manual {
			names = append(names, "docs/"+name)
		}
	}
	var all []page
	for _, name := range names {
		all = append(all, page{name, read(t, name)})
	}
	return all
}

// read returns the text of a file of the source.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// between returns what stands in a page between two lines.
func between(t *testing.T, name, begin, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(read(t, name), begin+"\n")
	part, _, foundEnd := strings.Cut(rest, end+"\n")
	if !found || !foundEnd {
		t.Fatalf("%s has no place for %s", name, begin)
	}
	return part
}

var (
	fence  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	inCode = regexp.MustCompile("`([^`\n]+)`")
)

// prose returns the page without its blocks of code.
func (p page) prose() string { return fence.ReplaceAllString(p.text, "") }

// code returns what stands in backquotes.
func code(text string) []string {
	var words []string
	for _, m := range inCode.FindAllStringSubmatch(text, -1) {
		words = append(words, m[1])
	}
	return words
}

// sourceFiles returns the files and folders of the source, relative to root. What make and
// git write is left out.
func sourceFiles(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (name == ".git" || name == "build" || name == "vendor") {
			return fs.SkipDir
		}
		found[name] = true
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
