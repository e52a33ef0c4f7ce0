package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func root(t *testing.T) string {
	t.Helper()
	dir, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// fixture is a header for a package below testdata.
func fixture(name string, only ...string) *header {
	return &header{path: "test/fixture/layout.h", packages: []string{"gen/layoutgen/testdata/" + name}, only: only}
}

// TestHeaders: the headers in the repository are current.
func TestHeaders(t *testing.T) {
	for _, h := range headers {
		if err := h.make(root(t), true); err != nil {
			t.Error(err)
		}
	}
}

// TestFixture: a header has what is expected, and what it asserts is true.
func TestFixture(t *testing.T) {
	got, err := fixture("fixture").text(root(t))
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/fixture.h"
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	out, err := exec.Command("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", golden).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOtherLayout: C with another layout does not compile.
func TestOtherLayout(t *testing.T) {
	text, err := fixture("fixture").text(root(t))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), "int8_t last;", "int16_t last, more;", 1)
	other = strings.Replace(other, "uint8_t reserved1[2];", "uint8_t reserved1[9];", 1)
	file := filepath.Join(t.TempDir(), "other.c")
	if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("cc", "-std=c11", "-fsyntax-only", file).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "outer.inner of Go") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestOnly(t *testing.T) {
	text, err := fixture("fixture", "fix_inner", "FIX_SECOND").text(root(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"struct fix_inner {": true, "struct fix_outer {": false, "FIX_SECOND = 1,": true, "FIX_FIRST": false, "FIX_ALL": false} {
		if strings.Contains(string(text), name) != want {
			t.Errorf("%q: %v expected in\n%s", name, want, text)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		h    *header
		want string
	}{
		{fixture("bad"), "bad.bad: m: no type map[int]int in C"},
		{fixture("fixture", "fix_missing"), "no fix_missing in C"},
		{&header{packages: []string{"gen/layoutgen/testdata/fixture", "gen/layoutgen/testdata/fixture"}}, "two FIX_FIRST in C"},
	} {
		if _, err := test.h.text(root(t)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, expected %q", err, test.want)
		}
	}
}
