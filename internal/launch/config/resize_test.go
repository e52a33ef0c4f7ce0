package config

import (
	"slices"
	"testing"
)

func TestParseRanks(t *testing.T) {
	for text, want := range map[string][]int{"3": {3}, "5-7,3": {3, 5, 6, 7}, "1,1-2": {1, 2}, "0": {0}} {
		if got, err := parseRanks(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, expected %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a", "-1", "3-1", "1,,2", "1-", "1048576", "2-1048576"} {
		if got, err := parseRanks(text); err == nil {
			t.Errorf("%q is taken for the ranks %v", text, got)
		}
	}
}
