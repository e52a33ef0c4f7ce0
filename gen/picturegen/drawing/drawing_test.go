package drawing

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

const head = "size 100 60\ntitle A & B\n"

// TestSVG: what a text becomes is XML with the parts that it names.
func TestSVG(t *testing.T) {
	svg, err := SVG(head + "# a comment\n\nbox 0 0 90 20 a *x < `y`|z\nrow 0 30 20 20 5 plain a | b\ntext 50 58 middle ~small\nline dashed 0 0 9 9\narrow solid 0 0 0 50 50 50\n")
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	for part, n := range map[string]int{
		"<rect": 3, "<text": 5, "<polyline": 2, "<polygon": 1, "<title>A &amp; B</title>": 1, "x &lt; <tspan class=\"code\">y</tspan>": 1,
		"prefers-color-scheme: dark": 1, `class="text bold"`: 1, `class="text small"`: 1,
	} {
		if found := strings.Count(svg, part); found != n {
			t.Errorf("%d times %s, expected %d, in\n%s", found, part, n, svg)
		}
	}
}

// TestMistakes: an error has the number of the line, and says what is wrong.
func TestMistakes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"# x\n", "1: a picture has a size and a title"},
		{"size 9 9\n", "1: a picture has a size and a title"},
		{"box 0 0 9 9 a\n", "1: size is not the first command"},
		{head + "circle 1 2\n", `3: unknown command "circle"`},
		{head + "box 0 0 9 a\n", "3: box has 4 words, expected 5"},
		{"size 1 2 3\n", "1: size has 3 words, expected 2"},
		{head + "box 0 0 9 x a\n", `3: "x" is no number`},
		{head + "box 0 0 9 9 z\n", `3: unknown class "z" of a box`},
		{head + "box 50 0 60 9 a\n", "3: 110 9 is outside of the picture"},
		{head + "box 0 0 20 9 a too long\n", `3: "too long" is 59 wide, and the box 20`},
		{head + "text 0 0 up x\n", `3: unknown alignment "up"`},
		{head + "text 90 0 left x y z\n", "3: 126 0 is outside of the picture"},
		{head + "line solid 1 2 3\n", "3: a line has a class and the coordinates of two points or more"},
		{head + "line thin 1 2 3 4\n", `3: unknown class "thin" of a line`},
		{head + "arrow solid 1 2 1 2\n", "3: the last two points are the same"},
	} {
		if _, err := SVG(test.text); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, expected %s", test.text, err, test.want)
		}
	}
}

// TestStyles: each class of a box has a colour in both schemes, in a picture by itself and in a page.
func TestStyles(t *testing.T) {
	for name, style := range map[string]string{"Style": Style(), "SiteStyle": SiteStyle()} {
		for _, c := range colours {
			if !strings.Contains(style, c.light) || !strings.Contains(style, c.dark) {
				t.Errorf("%s has not both colours of class %s", name, c.class)
			}
		}
	}
}
