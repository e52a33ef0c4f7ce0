package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/gen/picturegen/drawing"
)

// TestPicturesAreCurrent: the pictures of the manual are what the texts beside them say, and pages show each of them.
func TestPicturesAreCurrent(t *testing.T) {
	const folder = "../../docs/pictures"
	texts, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(texts) < 10 {
		t.Fatalf("%v, and %d pictures", err, len(texts))
	}
	for _, name := range texts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := drawing.SVG(string(text))
		if err != nil {
			t.Errorf("%s:%v", name, err)
			continue
		}
		picture := strings.TrimSuffix(name, ".txt") + ".svg"
		if got, err := os.ReadFile(picture); err != nil || string(got) != want {
			t.Errorf("%s is not that of %s: run make drawings (%v)", picture, filepath.Base(name), err)
		}
		if !shown(t, "pictures/"+filepath.Base(picture)) {
			t.Errorf("no page shows %s", picture)
		}
	}
	all, err := filepath.Glob(filepath.Join(folder, "*.svg"))
	if err != nil || len(all) != len(texts) {
		t.Errorf("%v, and %d pictures for %d texts", err, len(all), len(texts))
	}
}

// shown reports whether a page of the manual shows a picture.
func shown(t *testing.T, picture string) bool {
	t.Helper()
	for _, pattern := range []string{"../../docs/*.md", "../../docs/design/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), picture+")") {
				return true
			}
		}
	}
	return false
}
