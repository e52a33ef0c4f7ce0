package docs

import (
	"regexp"
	"strings"
	"testing"
)

// formatNumbers are the definitions of the numbers in the table of formats.
var formatNumbers = regexp.MustCompile(`(?m)^\s*(?:const )?(?:wireVersion|contactVersion|Version|headerVersion|ProxyGreeting|headVersion)\s+= (?:"goacp-proxy )?(\d+)"?$`)

// TestFormats: the page about upgrading has the numbers of the formats that the source has.
func TestFormats(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| [^|]+ \\| (\\d+) \\| `([^`]+)` \\|").FindAllStringSubmatch(between(t, "docs/upgrading.md", "<!-- formats -->", "<!-- end of formats -->"), -1)
	if len(rows) != 6 {
		t.Errorf("%d formats, expected 6", len(rows))
	}
	for _, row := range rows {
		found := formatNumbers.FindAllStringSubmatch(read(t, row[2]), -1)
		if len(found) != 1 || found[0][1] != row[1] {
			t.Errorf("the page has number %s, %s has %q", row[1], row[2], found)
		}
	}
}

// TestVersions: all files have the same number of the release.
func TestVersions(t *testing.T) {
	number := func(name, before, after string) string {
		_, rest, found := strings.Cut(read(t, name), before)
		version, _, foundEnd := strings.Cut(rest, after)
		if !found || !foundEnd {
			t.Errorf("%s has no version", name)
		}
		return version
	}
	version := number("configure", "\nVERSION=", "\n")
	for name, other := range map[string]string{
		"internal/ground/release/release.go": number("internal/ground/release/release.go", "Version = \"", "\""),
		"CITATION.cff":                       number("CITATION.cff", "\nversion: ", "\n"),
	} {
		if other != version {
			t.Errorf("%s has version %q, configure %q", name, other, version)
		}
	}
}
