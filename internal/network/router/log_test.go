package router

import "testing"

func TestRankList(t *testing.T) {
	for want, ranks := range map[string][]int{
		"rank 3": {3}, "ranks 0-1": {0, 1}, "ranks 0-3,7,9-10": {0, 1, 2, 3, 7, 9, 10}, "ranks 1,3": {1, 3},
	} {
		if got := rankList(ranks); got != want {
			t.Errorf("%v: %q, expected %q", ranks, got, want)
		}
	}
}
