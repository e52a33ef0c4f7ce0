package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goacp/goacp/acp"
)

// check compares the multiset with what this rank counts alone, and prints words.
func check(p *acp.Process, counts *acp.Multiset[string], text []byte, top int) error {
	want := map[string]uint64{}
	all := 0
	_ = words(text, func(word string) error {
		want[word]++
		all++
		return nil
	})
	type counted struct {
		word  string
		times uint64
	}
	var list []counted
	for word, times := range counts.All() {
		if want[word] != times {
			return fmt.Errorf("%q was counted %d times, expected %d", word, times, want[word])
		}
		list = append(list, counted{word, times})
	}
	if err := counts.Err(); err != nil || len(list) != len(want) {
		return fmt.Errorf("%d different words, expected %d: %w", len(list), len(want), err)
	}
	slices.SortFunc(list, func(a, b counted) int {
		return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(a.word, b.word))
	})
	fmt.Printf("%d words, %d different, by %d ranks, the same as by one\n", all, len(list), p.Procs())
	for _, c := range list[:min(top, len(list))] {
		fmt.Printf("%6d %s\n", c.times, c.word)
	}
	return counts.Destroy()
}
