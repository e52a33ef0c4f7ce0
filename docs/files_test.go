package docs

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// elsewhere are paths that are no files of the source.
var elsewhere = map[string]string{
	"sync/atomic":       "package of Go",
	"stdatomic.h":       "header of C",
	"lib/openmpi-5.0.1": "folder of an installation",
	"share/goacp":       "folder of an installation",
	"goacp-PID-…":       "folder of a run",
	"acp.mod":           "written by make",
	"air.c":             "written by the reader",
	"air.go":            "written by the reader",
	"hang.c":            "written by the reader",
	"sea.c":             "written by the reader",
	"sea.go":            "written by the reader",
	"sum.c":             "written by the reader",
	"sum.go":            "written by the reader",
	"painted.yaml":      "written by the reader",
	"seldom.yaml":       "written by the reader",
	"silent.yaml":       "written by the reader",
	"acp_couple.mod":    "written by make",
	"mpif.h":            "file of MPI",
	"wrappers.yaml":     "written by configure",
	".yaml":             "end of a name",
	".yml":              "end of a name",
	"10.1.0.0/16":       "network",
}

var (
	pathWord  = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.…-]*(/[A-Za-z0-9_.…-]+)*/?$`)
	extension = regexp.MustCompile(`\.(go|c|h|md|sh|mk|mod|map|txt|yaml|yml|inputfile|def)$`)
	// notSource are paths that make, an installation, a user or a system has.
	notSource = regexp.MustCompile(`^(build/|PREFIX/|\.\.?/|github\.com/|testdata/fuzz/)`)
)

// shown is a file whose text a page shows.
var shown = regexp.MustCompile("[Tt]his is `([^`]+)`")

// TestFilesExist: every file and folder that a page names in backquotes is there, or the page shows its text. A page may
// name a file by the end of its path.
func TestFilesExist(t *testing.T) {
	files := sourceFiles(t)
	ends := map[string]bool{}
	for name := range files {
		for end := name; ; {
			ends[end] = true
			_, rest, more := strings.Cut(end, "/")
			if !more {
				break
			}
			end = rest
		}
	}
	for _, p := range pages(t) {
		own := map[string]bool{}
		for _, m := range shown.FindAllStringSubmatch(p.text, -1) {
			own[m[1]] = true
		}
		for _, word := range code(p.prose()) {
			if !pathWord.MatchString(word) || !strings.Contains(word, "/") && !extension.MatchString(word) {
				continue
			}
			name := strings.TrimSuffix(word, "/")
			if _, ok := elsewhere[name]; ok || notSource.MatchString(word) || ends[name] || own[name] {
				continue
			}
			t.Errorf("%s names %s, which does not exist", p.name, word)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	notSlug = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// anchors returns the names of the headings of a page.
func anchors(text string) map[string]bool {
	set := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		set[strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return set
}

// TestLinksLead: every link of a page leads to a file of the source, and to a heading of it.
func TestLinksLead(t *testing.T) {
	files := sourceFiles(t)
	for _, p := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(p.prose(), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target, anchor, _ := strings.Cut(m[1], "#")
			name := p.name
			if target != "" {
				name = path.Join(path.Dir(p.name), target)
			}
			if !files[name] {
				t.Errorf("%s links to %s, which does not exist", p.name, m[1])
				continue
			}
			if anchor != "" && !anchors(read(t, name))[anchor] {
				t.Errorf("%s links to %s, and there is no such heading", p.name, m[1])
			}
		}
	}
}
