package ranges

import "testing"

func TestText(t *testing.T) {
	for _, c := range []struct {
		ranks    []int
		want, of string
	}{
		{nil, "", "ranks "}, {[]int{3}, "3", "rank 3"}, {[]int{3, 4}, "3-4", "ranks 3-4"}, {[]int{0, 2, 3, 4, 9}, "0, 2-4, 9", "ranks 0, 2-4, 9"},
		{[]int{0, 2, 4, 6, 8, 10, 12, 14, 16, 17, 18}, "0, 2, 4, 6, 8, 10, 12, 14 and 3 more", "ranks 0, 2, 4, 6, 8, 10, 12, 14 and 3 more"},
	} {
		if got := Text(c.ranks); got != c.want {
			t.Errorf("%v: %q, expected %q", c.ranks, got, c.want)
		}
		if got := Of(c.ranks); got != c.of {
			t.Errorf("%v: %q, expected %q", c.ranks, got, c.of)
		}
	}
}
