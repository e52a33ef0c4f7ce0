package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	s, err := read(strings.NewReader("a\tx\t3\na\tx\t1\na\tx\t2\nb\tx\t5\nb\tx\t4\n"))
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := s.median("a", "x"); !ok || m != 2 {
		t.Errorf("median of 3, 1, 2: %v, %v", m, ok)
	}
	if m, ok := s.median("b", "x"); !ok || m != 4.5 {
		t.Errorf("median of 5, 4: %v, %v", m, ok)
	}
	if _, ok := s.median("a", "y"); ok {
		t.Error("median of nothing")
	}
	if source, m, ok := s.best([]string{"c", "b", "a"}, "x"); source != "a" || m != 2 || !ok {
		t.Errorf("best: %q, %v, %v", source, m, ok)
	}
	for _, bad := range []string{"a\tx\n", "a\tx\tfast\n", "a x 1\n"} {
		if _, err := read(strings.NewReader(bad)); err == nil {
			t.Errorf("read %q without an error", bad)
		}
	}
}

func TestCells(t *testing.T) {
	r := row{what: "w", name: "x", sources: []string{"m", "n"}, c: limit{times: 1}, goes: limit{absolute: 50}}
	for _, c := range []struct {
		name    string
		figures figures
		want    []string
	}{
		{"both met", figures{"m\tx": {20}, "n\tx": {30}, "c\tx": {20}, "go\tx": {50}},
			[]string{"w", "20.0 ns", "m", "20.0 ns", "50.0 ns", "1.00", "2.50", "<= 1 x / <= 50.0 ns", "yes / yes"}},
		{"both missed", figures{"m\tx": {2000}, "c\tx": {3000}, "go\tx": {200e3}},
			[]string{"w", "2.00 us", "m", "3.00 us", "200 us", "1.50", "100.00", "<= 1 x / <= 50.0 ns", "NO / NO"}},
		{"no reference", figures{"c\tx": {1}, "go\tx": {1}},
			[]string{"w", "-", "", "1.0 ns", "1.0 ns", "-", "-", "<= 1 x / <= 50.0 ns", "? / yes"}},
		{"nothing", figures{}, []string{"w", "-", "", "-", "-", "-", "-", "<= 1 x / <= 50.0 ns", "? / ?"}},
	} {
		if got := r.cells(c.figures); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// TestAgainst puts two runs side by side. Rows that only one of them has measured are left out.
func TestAgainst(t *testing.T) {
	earlier := filepath.Join(t.TempDir(), "samples.tsv")
	samples := "socket\tbatch512\t100\nc\tfarput8x512\t500\nc\tfarput8x512\t700\nc\tfarput8x512\t600\n" +
		"go\tfarput8x512\t800\nc\tput8\t10\nc\tmemory32\t3200000\nc\tmemory128\t12800000\n"
	if err := os.WriteFile(earlier, []byte(samples), 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := sideBySide(earlier)
	if err != nil {
		t.Fatal(err)
	}
	got := table(figures{"socket\tbatch512": {120}, "c\tfarput8x512": {120}, "c\tmemory32": {3200000}, "c\tmemory128": {8000000}})
	want := [][]string{
		{"what", "reference before", "now", "C before", "now", "ratio", "Go before", "now", "ratio"},
		{"two hosts: put 8 B, 512 in flight", "100 ns", "120 ns", "600 ns", "120 ns", "0.20", "800 ns", "-", "-"},
	}
	if len(got) < 2 || !slices.Equal(got[0], want[0]) || !slices.ContainsFunc(got, func(l []string) bool { return slices.Equal(l, want[1]) }) {
		t.Errorf("got %q, want %q in it", got, want)
	}
	for _, l := range got[1:] {
		if strings.HasSuffix(l[0], "512 in flight (MPI)") {
			t.Errorf("%q is there twice", l)
		}
		if l[5] == "-" && l[8] == "-" {
			t.Errorf("%q has nothing to compare", l)
		}
	}
	if !slices.ContainsFunc(got, func(l []string) bool { return l[5] == "0.50" }) {
		t.Errorf("%q does not compare the memory of further ranks", got)
	}
	if err := os.WriteFile(earlier, []byte("c\tput8\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{earlier, earlier + "2"} {
		if _, err := sideBySide(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("samples that cannot be read: %v, want the file in it", err)
		}
	}
}

func TestComparison(t *testing.T) {
	c := comparison{what: "w", name: "x", armci: limit{times: 0.5}, reference: "y", sources: []string{"m"}, other: limit{times: 2}, absolute: limit{absolute: 50}}
	for _, test := range []struct {
		name    string
		figures figures
		want    []string
	}{
		{"two of three met", figures{"goacp\tx": {40}, "armci-mpich\tx": {60}, "armci-openmpi\tx": {100}, "m\ty": {20}},
			[]string{"w", "40.0 ns", "60.0 ns (mpich)", "0.67", "20.0 ns (m)", "2.00", "<= 0.5 x, <= 2 x, <= 50.0 ns", "NO, yes, yes"}},
		{"no references", figures{"goacp\tx": {60}},
			[]string{"w", "60.0 ns", "-", "-", "-", "-", "<= 0.5 x, <= 2 x, <= 50.0 ns", "?, ?, NO"}},
		{"references alone", figures{"armci-mpich\tx": {60}, "m\ty": {20}},
			[]string{"w", "-", "60.0 ns (mpich)", "-", "20.0 ns (m)", "-", "<= 0.5 x, <= 2 x, <= 50.0 ns", "?, ?, ?"}},
	} {
		if got := c.cells(test.figures); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n%q, want\n%q", test.name, got, test.want)
		}
	}
}

// TestComparisonNames: no figure has two lines.
func TestComparisonNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range comparisons {
		if seen[c.name] {
			t.Errorf("%s is there twice", c.name)
		}
		seen[c.name] = true
	}
}

func TestMoreThanReference(t *testing.T) {
	l := limit{more: 100}
	if got := l.words(duration); got != "<= reference + 100 ns" {
		t.Error(got)
	}
	for v, want := range map[float64]string{150: "yes", 150.1: "NO"} {
		if got := l.verdict(v, true, 50, true); got != want {
			t.Errorf("%v beside 50: %q", v, got)
		}
	}
	if got := l.verdict(1, true, 0, false); got != "?" {
		t.Errorf("without a reference: %q", got)
	}
}

func TestMultipleAndMore(t *testing.T) {
	l := limit{times: 2, more: 100}
	if got := l.words(duration); got != "<= 2 x + 100 ns" {
		t.Error(got)
	}
	for v, want := range map[float64]string{200: "yes", 200.1: "NO"} {
		if got := l.verdict(v, true, 50, true); got != want {
			t.Errorf("%v beside 50: %q", v, got)
		}
	}
}

func TestLanguageLines(t *testing.T) {
	s := figures{"c\tmapput": {50}, "cpp\tmapput": {56}, "c\tput8": {10}, "python\tput8": {6000}, "python\tput1m": {20e3}}
	lines := map[string][]string{}
	for _, line := range languageLines(s) {
		lines[line[0]] = line[1:]
	}
	for what, want := range map[string][]string{
		"map of 4 ranks, 8 B: insert":         {"50.0 ns", "56.0 ns", "-", "1.12", "<= 1.15 x", "yes"},
		"map of 4 ranks, 8 B: value of a key": {"-", "-", "-", "-", "<= 1.15 x", "?"},
		"one host: put 8 B of a slice":        {"10.0 ns", "-", "6.00 us", "600.00", "<= 2.00 us", "NO"},
		"one host: put 1 MiB":                 {"-", "-", "20.00 us", "-", "<= 1.15 x + 5.00 us", "?"},
	} {
		if got := lines[what]; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

func TestGALines(t *testing.T) {
	s := figures{
		"goacp\topenmpi 2/a": {3e9, 1e9, 2e9}, "armci-mpi\topenmpi 2/a": {2e9},
		"goacp\topenmpi 2/b": {3e9}, "armci-mpi\topenmpi 2/b": {1.5e9},
		"goacp\topenmpi 4/a":     {1e9},
		"armci-mpi\topenmpi 2/c": {1e9},
	}
	want := [][]string{
		{"run", "program", "GoACP", "ARMCI-MPI", "ratio", "not above"},
		{"openmpi 2", "a", "2.00 s", "2.00 s", "1.00", "yes"},
		{"openmpi 2", "b", "3.00 s", "1.50 s", "2.00", "NO"},
		{"openmpi 2", "c", "-", "1.00 s", "-", "?"},
		{"openmpi 2", "all", "5.00 s", "3.50 s", "1.43", "NO"},
		{"openmpi 4", "a", "1.00 s", "-", "-", "?"},
	}
	if got := gaLines(s); !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("%q, want\n%q", got, want)
	}
}
