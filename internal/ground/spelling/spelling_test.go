package spelling

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	long := strings.Repeat("x", longest)
	cases := []struct {
		word  string
		names []string
		want  string
	}{
		{"surfce", []string{"wind", "surface", "rain"}, "surface"},
		{"ACP_NETT", []string{"ACP_NET", "ACP_HOST"}, "ACP_NET"},
		{"np", []string{"n", "np", "nq"}, "np"},
		{"nr", []string{"nq", "np"}, "np"},
		{"", []string{"", "a"}, ""},
		{"", []string{"a"}, "a"},
		{"pressure", []string{"wind", "rain"}, ""},
		{"rain", nil, ""},
		{"rain", []string{long + long}, ""},
		{long, []string{long[1:]}, long[1:]},
		{long + "x", []string{long}, ""},
	}
	for _, c := range cases {
		names := slices.Clone(c.names)
		if got := Nearest(c.word, names); got != c.want {
			t.Errorf("Nearest(%.20q, %.60q) = %.20q, want %.20q", c.word, c.names, got, c.want)
		}
		if !slices.Equal(names, c.names) {
			t.Errorf("Nearest(%.20q) has changed the names to %.60q", c.word, names)
		}
	}
}

func TestDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "ab", 1}, {"abc", "xabc", 1},
		{"abc", "axc", 1}, {"ab", "ba", 2}, {"kitten", "sitting", 3},
	}
	for _, c := range cases {
		if got, back := distance(c.a, c.b), distance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("distance(%q, %q) = %d and back %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
}

func TestChoices(t *testing.T) {
	for _, c := range []struct {
		word  string
		names []string
		text  string
	}{
		{"see", nil, "none"},
		{"see", []string{"sea"}, "sea"},
		{"see", []string{"sea", "temperature"}, "sea, temperature; did you mean sea?"},
		{"wind", []string{"sea", "temperature"}, "sea, temperature"},
		{"wind", strings.Fields(strings.Repeat("x ", 22)), strings.TrimSuffix(strings.Repeat("x, ", 20), ", ") + " and 2 more"},
	} {
		if text := Choices(c.word, c.names); text != c.text {
			t.Errorf("%q among %q: %q, expected %q", c.word, c.names, text, c.text)
		}
	}
}
