package main

import (
	"os"
	"regexp"
	"testing"
)

// TestOneVersion checks that configure, the launchers and the Python package have the same version. Libraries and
// wrappers have that of configure.
func TestOneVersion(t *testing.T) {
	version := func(file, pattern string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s: nothing matches %s", file, pattern)
		}
		return string(found[1])
	}
	configure := version("../configure", `(?m)^VERSION=(\S+)$`)
	launchers := version("../internal/ground/release/release.go", `(?m)^const Version = "(.+)"$`)
	python := version("../python/pyproject.toml", `(?m)^version = "(.+)"$`)
	if configure != launchers || configure != python {
		t.Errorf("configure says %s, the launchers say %s, the Python package says %s", configure, launchers, python)
	}
}
