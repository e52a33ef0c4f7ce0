package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManual: the site has all pages of the manual, and their links and pictures are there.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	if err := generate("../..", dir, "9.8.7"); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(dir, "mkdocs.yml"))
	if err != nil || !strings.Contains(string(config), "GoACP 9.8.7") {
		t.Errorf("%v, and mkdocs.yml has not the version:\n%s", err, config)
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 40 {
		t.Fatalf("%v, and docs has %d pages", err, len(pages))
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if name == "README.md" {
			name = "index.md"
		}
		if _, err := os.Stat(filepath.Join(dir, "pages", name)); err != nil {
			t.Errorf("docs/mkdocs.yml does not lead to docs/%s", filepath.Base(page))
		}
		if n := strings.Count(string(config), ": "+name+"\n"); n != 1 {
			t.Errorf("docs/mkdocs.yml has %s %d times, expected once", name, n)
		}
	}
}

// TestReleases: each release of the changes has a page, to which the page of all changes and the list of pages lead.
func TestReleases(t *testing.T) {
	root := t.TempDir()
	write(t, root, "CHANGELOG.md", "# Changes\n\nNewest first.\n\n## Unreleased\n\n### Added\n\n- [One](docs/one.md#a).\n\n## 2.1.0\n\nThe first.\n")
	write(t, root, "docs/one.md", "# One\n")
	s := &site{root: root, pages: map[string]string{}, files: map[string]string{}}
	list, err := s.addReleases()
	if want := "          - Unreleased: source/release-unreleased.md\n          - Version 2.1.0: source/release-2.1.0.md\n"; err != nil || list != want {
		t.Errorf("%v, list\n%sexpected\n%s", err, list, want)
	}
	for name, want := range map[string]string{
		"release-unreleased.md": "# Unreleased\n\n## Added\n\n- [One](../one.md#a).\n",
		"release-2.1.0.md":      "# Version 2.1.0\n\nThe first.\n",
		"CHANGELOG.md":          "# Changes\n\nNewest first.\n\n- [Unreleased](release-unreleased.md)\n- [Version 2.1.0](release-2.1.0.md)\n",
	} {
		got, err := s.convert(name, s.pages[name])
		if err != nil || got != want {
			t.Errorf("%s: %v, found %q\nexpected %q", name, err, got, want)
		}
	}
	write(t, root, "CHANGELOG.md", "# Changes\n")
	if _, err := s.addReleases(); err == nil {
		t.Error("no error without a release")
	}
}

// write writes a file below a folder.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestConvert: what becomes of a page.
func TestConvert(t *testing.T) {
	root := t.TempDir()
	write(t, root, "docs/one.md", "# One\n")
	write(t, root, "docs/p.svg", "<svg>\n<style>\nsvg{}\n</style>\n\n<rect/>\n</svg>\n")
	write(t, root, "examples/a/README.md", "# A\n")
	write(t, root, "examples/a/b.c", "int b;\n")
	for _, test := range []struct{ name, text, want string }{
		{"tabs", "<!-- tabs -->\n\n**C**\n\n```c\nint x;\n\nint y;\n```\n\n**Go**\n\nText.\n\n<!-- end of tabs -->\n\nMore.\n",
			"\n=== \"C\"\n\n    ```c\n    int x;\n\n    int y;\n    ```\n\n=== \"Go\"\n\n    Text.\n\n\nMore.\n"},
		{"a page", "[x](one.md#here)\n", "[x](one.md#here)\n"},
		{"a folder", "[x](../examples/a)\n", "[x](source/examples/a.md)\n"},
		{"a source file", "[x](../examples/a/b.c)\n", "[x](source/examples/a/b_c.md)\n"},
		{"another host", "[x](https://example.org/a.md)\n", "[x](https://example.org/a.md)\n"},
		{"a link in code", "```\n[x](nowhere.md)\n```\n", "```\n[x](nowhere.md)\n```\n"},
		{"a nested list", "1. One\n   - Two\n", "1. One\n    - Two\n"},
		{"a picture", "![A \"p\"](p.svg)\n",
			"<figure class=\"picture\" role=\"img\" aria-label=\"A &quot;p&quot;\">\n<svg>\n<rect/>\n</svg>\n</figure>\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &site{root: root, pages: map[string]string{}, files: map[string]string{}}
			got, err := s.convert("docs/page.md", test.text)
			if err != nil || got != test.want {
				t.Errorf("found %q, %v\nexpected %q", got, err, test.want)
			}
		})
	}
	for name, text := range map[string]string{
		"a link that leads nowhere": "[x](two.md)\n",
		"tabs without an end":       "<!-- tabs -->\n",
		"code without an end":       "```\n",
		"no picture":                "![x](q.svg)\n",
	} {
		s := &site{root: root, pages: map[string]string{}, files: map[string]string{}}
		if got, err := s.convert("docs/page.md", text); err == nil {
			t.Errorf("%s: no error, and %q", name, got)
		}
	}
}

// TestOffline: the script has the index and the worker, and a site without them is an error.
func TestOffline(t *testing.T) {
	dir := t.TempDir()
	if err := offline(dir); err == nil {
		t.Error("no error without an index")
	}
	write(t, dir, "search/search_index.json", `{"docs": []}`)
	if err := offline(dir); err == nil {
		t.Error("no error without a worker")
	}
	write(t, dir, "assets/javascripts/workers/search.1.min.js", "say(\"hello\")")
	if err := offline(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "search", "offline.js"))
	if err != nil || !strings.Contains(string(text), `resolve({"docs": []})`) || !strings.Contains(string(text), `["say(\"hello\")"]`) {
		t.Errorf("%v, %s", err, text)
	}
}

// TestCheck: faults of a site are found.
func TestCheck(t *testing.T) {
	const good = `<link href="a.css"><h1 id="top"></h1><a href="#top"></a><a href="b/c.html#x">c</a><a href="b">b</a><a href="https://example.org">e</a>`
	for _, test := range []struct{ page, want string }{
		{good, ""},
		{`<a href="d.html">`, "which does not exist"},
		{`<a href="b/c.html#y">`, "no such place"},
		{`<a href="#y">`, "no such place"},
		{`<script src="https://example.org/x.js">`, "from another host"},
		{`<img alt="" src="//example.org/x.png">`, "from another host"},
		{`<link rel="stylesheet" href="https://example.org/x.css">`, "from another host"},
		{`<style>@font-face{src:url(https://example.org/f)}</style>`, "from another host"},
	} {
		dir := t.TempDir()
		write(t, dir, "a.html", test.page)
		write(t, dir, "a.css", "")
		write(t, dir, "b/index.html", "")
		write(t, dir, "b/c.html", `<p id="x"><a href="..">`)
		write(t, dir, "index.html", "")
		err := check(dir)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, expected %q", test.page, err, test.want)
		}
	}
}
