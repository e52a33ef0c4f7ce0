package debuglog

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// begin starts the log for one test.
func begin(t *testing.T, c Config) {
	t.Helper()
	t.Cleanup(func() {
		if err := Start(Config{}); err != nil {
			t.Error(err)
		}
	})
	if err := Start(c); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLayers: only the layers of the list write, and all names are known.
func TestLayers(t *testing.T) {
	for l := range layers {
		path := filepath.Join(t.TempDir(), "log-%r")
		begin(t, Config{Layers: l.String(), File: path, Name: "x"})
		for other := range layers {
			if other.On() != (other == l) {
				t.Errorf("%v is on: %v, of the list %q", other, other.On(), l)
			}
			other.Printf("line of %v", other)
		}
		text := contents(t, strings.ReplaceAll(path, "%r", "x"))
		if !regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{6} x: ` + l.String() + `: line of ` + l.String() + "\n$").MatchString(text) {
			t.Errorf("the list %q wrote %q", l, text)
		}
	}
	begin(t, Config{Layers: " route ,all,", File: filepath.Join(t.TempDir(), "log")})
	for l := range layers {
		if !l.On() {
			t.Errorf("%v is off, of all", l)
		}
	}
	begin(t, Config{})
	for l := range layers {
		if l.On() {
			t.Errorf("%v is on, of none", l)
		}
	}
}

// TestUnknownLayer: the error names the unknown layer and all layers, and nothing changes.
func TestUnknownLayer(t *testing.T) {
	begin(t, Config{Layers: "tcp", File: filepath.Join(t.TempDir(), "log")})
	err := Start(Config{Layers: "route,rout"})
	if err == nil || !strings.Contains(err.Error(), `"rout"`) {
		t.Fatalf("rout: %v", err)
	}
	for _, name := range append(names[:], All) {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q does not name %s", err, name)
		}
	}
	if !TCP.On() || Route.On() {
		t.Error("a list that is wrong has changed the layers")
	}
	if Check("route,tcp") != nil || Check("") != nil || Check("x") == nil {
		t.Error("Check disagrees with Start")
	}
}

// TestRank: the file gets the name of the rank and keeps its earlier lines, and lines name the rank.
func TestRank(t *testing.T) {
	for pattern, file := range map[string]string{"log-%r.txt": "log-7.txt", "log": "log.7"} {
		dir := t.TempDir()
		begin(t, Config{Layers: All, File: filepath.Join(dir, pattern)})
		Rendezvous.Printf("before")
		Rank(7)
		Rank(7)
		Route.Printf("first\nsecond\n")
		text := contents(t, filepath.Join(dir, file))
		if !regexp.MustCompile(`^\S+ \S+:\d+: rendezvous: before\n\S+ rank 7: route: first; second\n$`).MatchString(text) {
			t.Errorf("%s: %q", pattern, text)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%s: %v, %v; expected one file", pattern, left, err)
		}
	}
}

// TestSeveralRanks: lines of a process with several ranks name none of them.
func TestSeveralRanks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	begin(t, Config{Layers: "route", File: path})
	var all sync.WaitGroup
	for rank := range 4 {
		all.Go(func() { Rank(rank) })
	}
	all.Wait()
	Route.Printf("decided")
	found, err := filepath.Glob(path + ".?")
	if err != nil || len(found) != 1 {
		t.Fatalf("files %v, %v", found, err)
	}
	if text := contents(t, found[0]); strings.Contains(text, "rank ") || !strings.Contains(text, "route: decided\n") {
		t.Errorf("%q", text)
	}
}

// TestEachRankStarts: the log continues if a further rank of the process starts it in the same way.
func TestEachRankStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	c := Config{Layers: "route", File: path}
	begin(t, c)
	Rank(0)
	Route.Printf("first")
	begin(t, c)
	Rank(1)
	Route.Printf("second")
	text := contents(t, path+".0")
	if !regexp.MustCompile(`^\S+ rank 0: route: first\n\S+ \S+:\d+: route: second\n$`).MatchString(text) {
		t.Errorf("%q", text)
	}
	begin(t, Config{Layers: "tcp", File: path})
	if Rank(2); Route.On() || !TCP.On() || contents(t, path+".2") != "" {
		t.Error("another list of layers does not begin a new log")
	}
}

// TestNoFile: a file that cannot be written is an error, unless the log is off.
func TestNoFile(t *testing.T) {
	if err := Start(Config{Layers: "tcp", File: "/nonexistent/log"}); err == nil || !strings.Contains(err.Error(), "/nonexistent/log.") {
		t.Errorf("no error, or one without the path: %v", err)
	}
	if TCP.On() {
		t.Error("a layer is on that has no file")
	}
	if err := Start(Config{File: "/nonexistent/log"}); err != nil {
		t.Error(err)
	}
}

// TestWhole: lines of several goroutines do not mix.
func TestWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	begin(t, Config{Layers: "shm,tcp", File: path, Name: "x"})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				TCP.Printf("%s", strings.Repeat("a", 100))
			}
		})
	}
	all.Wait()
	lines := strings.SplitAfter(contents(t, path+".x"), "\n")
	if len(lines) != 801 {
		t.Fatalf("%d lines, expected 800", len(lines)-1)
	}
	for _, line := range lines[:800] {
		if !strings.HasSuffix(line, "x: tcp: "+strings.Repeat("a", 100)+"\n") {
			t.Fatalf("%q", line)
		}
	}
}
