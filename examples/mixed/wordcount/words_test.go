package main

import (
	"maps"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	got := map[string]int{}
	err := words([]byte("The end, the End; (the) \"énd\"\n42 two-fold"), func(word string) error {
		got[word]++
		return nil
	})
	want := map[string]int{"the": 3, "end": 2, "énd": 1, "two": 1, "fold": 1}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, expected %v", got, err, want)
	}
}

func TestCut(t *testing.T) {
	text := []byte("one\ntwo three\nfour")
	for size := 1; size < 20; size++ {
		var all []string
		for rest := text; len(rest) > 0; {
			var piece []byte
			if piece, rest = cut(rest, size); len(piece) == 0 || len(piece) > size {
				t.Fatalf("a piece of %d bytes, expected %d at most", len(piece), size)
			}
			all = append(all, string(piece))
		}
		if got := strings.Join(all, ""); got != string(text) {
			t.Errorf("%q became %q", text, all)
		}
		if size >= 10 && all[0] != "one\n" && all[0] != "one\ntwo three\n" && size < len(text) {
			t.Errorf("pieces of %d bytes do not end with lines: %q", size, all)
		}
	}
}
