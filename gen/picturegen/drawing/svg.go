package drawing

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// picture is a picture that is being drawn.
type picture struct {
	b             strings.Builder
	width, height int
	title         string
}

// command draws one line of a text. words are those behind its name, and text is their text.
type command struct {
	numbers int  // at the beginning
	words   int  // behind the numbers
	text    bool // at the end
	draw    func(p *picture, n []int, words []string, text string) error
}

var commands = map[string]command{
	"size":  {numbers: 2, draw: (*picture).size},
	"title": {text: true, draw: func(p *picture, _ []int, _ []string, text string) error { p.title = text; return nil }},
	"box":   {numbers: 4, words: 1, text: true, draw: (*picture).box},
	"row":   {numbers: 5, words: 1, text: true, draw: (*picture).row},
	"text":  {numbers: 2, words: 1, text: true, draw: (*picture).text},
}

// SVG draws a picture. An error begins with the number of the line.
func SVG(text string) (string, error) {
	p := &picture{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.line(line); err != nil {
			return "", fmt.Errorf("%d: %w", i+1, err)
		}
	}
	if p.width == 0 || p.title == "" {
		return "", fmt.Errorf("1: a picture has a size and a title")
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">
<title>%s</title>
<style>
%s</style>
%s</svg>
`, p.width, p.height, p.width, p.height, html.EscapeString(p.title), Style(), p.b.String()), nil
}

// line draws a line of the text.
func (p *picture) line(line string) error {
	name, rest, _ := strings.Cut(line, " ")
	if name == "line" || name == "arrow" {
		return p.path(strings.Fields(rest), name == "arrow")
	}
	c, known := commands[name]
	if !known {
		return fmt.Errorf("unknown command %q", name)
	}
	if name != "size" && p.width == 0 {
		return fmt.Errorf("size is not the first command")
	}
	fields := strings.Fields(rest)
	if least := c.numbers + c.words; len(fields) < least || len(fields) > least && !c.text {
		return fmt.Errorf("%s has %d words, expected %d", name, len(fields), least)
	}
	n, err := numbers(fields[:c.numbers])
	if err != nil {
		return err
	}
	return c.draw(p, n, fields[c.numbers:c.numbers+c.words], strings.Join(fields[c.numbers+c.words:], " "))
}

// numbers converts words.
func numbers(words []string) ([]int, error) {
	var n []int
	for _, w := range words {
		i, err := strconv.Atoi(w)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", w)
		}
		n = append(n, i)
	}
	return n, nil
}

func (p *picture) size(n []int, _ []string, _ string) error {
	p.width, p.height = n[0], n[1]
	return nil
}

// inside returns an error unless a point is in the picture.
func (p *picture) inside(x, y int) error {
	if x < 0 || y < 0 || x > p.width || y > p.height {
		return fmt.Errorf("%d %d is outside of the picture", x, y)
	}
	return nil
}

const lineHeight = 17

func (p *picture) box(n []int, words []string, text string) error {
	x, y, w, h := n[0], n[1], n[2], n[3]
	if err := p.inside(x, y); err != nil {
		return err
	}
	if err := p.inside(x+w, y+h); err != nil {
		return err
	}
	switch class := words[0]; class {
	case "a", "b", "c", "d", "plain", "frame":
		fmt.Fprintf(&p.b, `<rect class="box %s" x="%d" y="%d" width="%d" height="%d" rx="4"/>`+"\n", class, x, y, w, h)
	case "head":
	default:
		return fmt.Errorf("unknown class %q of a box", class)
	}
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "|")
	top := y + (h-lineHeight*len(lines))/2 + 13
	if words[0] == "frame" {
		top = y + 17
	}
	for i, line := range lines {
		if width := widthOf(strings.TrimSpace(line)); width > float64(w) {
			return fmt.Errorf("%q is %.0f wide, and the box %d", line, math.Ceil(width), w)
		}
		p.write(x+w/2, top+i*lineHeight, "middle", strings.TrimSpace(line))
	}
	return nil
}

func (p *picture) row(n []int, words []string, text string) error {
	x, w, gap := n[0], n[2], n[4]
	for i, one := range strings.Split(text, "|") {
		if err := p.box([]int{x + i*(w+gap), n[1], w, n[3]}, words, strings.TrimSpace(one)); err != nil {
			return err
		}
	}
	return nil
}

var anchors = map[string]string{"left": "start", "middle": "middle", "right": "end"}

func (p *picture) text(n []int, words []string, text string) error {
	anchor, known := anchors[words[0]]
	if !known {
		return fmt.Errorf("unknown alignment %q", words[0])
	}
	width := int(widthOf(text))
	left := n[0] - map[string]int{"start": 0, "middle": width / 2, "end": width}[anchor]
	if err := p.inside(left, n[1]); err != nil {
		return err
	}
	if err := p.inside(left+width, n[1]); err != nil {
		return err
	}
	p.write(n[0], n[1], anchor, text)
	return nil
}

// widthOf is about the width of a text with its marks.
func widthOf(text string) float64 {
	class, text := marks(text)
	each := 7.3
	if strings.Contains(class, "small") {
		each = 6.2
	}
	if strings.Contains(class, "bold") {
		each *= 1.1
	}
	return each * float64(len([]rune(strings.ReplaceAll(text, "`", ""))))
}

// marks takes off the marks before a text.
func marks(text string) (class, rest string) {
	for {
		switch {
		case strings.HasPrefix(text, "*"):
			class, text = class+" bold", text[1:]
		case strings.HasPrefix(text, "~"):
			class, text = class+" small", text[1:]
		default:
			return class, text
		}
	}
}

// write writes a text.
func (p *picture) write(x, y int, anchor, text string) {
	class, text := marks(text)
	var parts strings.Builder
	for i, part := range strings.Split(text, "`") {
		if part = html.EscapeString(part); i%2 == 1 {
			part = `<tspan class="code">` + part + `</tspan>`
		}
		parts.WriteString(part)
	}
	fmt.Fprintf(&p.b, `<text class="text%s" x="%d" y="%d" text-anchor="%s" xml:space="preserve">%s</text>`+"\n", class, x, y, anchor, parts.String())
}

// path draws a line or an arrow.
func (p *picture) path(fields []string, arrow bool) error {
	if len(fields) < 5 || len(fields)%2 == 0 {
		return fmt.Errorf("a line has a class and the coordinates of two points or more")
	}
	class := fields[0]
	if class != "solid" && class != "strong" && class != "dashed" {
		return fmt.Errorf("unknown class %q of a line", class)
	}
	n, err := numbers(fields[1:])
	if err != nil {
		return err
	}
	var points []string
	for i := 0; i < len(n); i += 2 {
		if err := p.inside(n[i], n[i+1]); err != nil {
			return err
		}
		points = append(points, fmt.Sprintf("%d,%d", n[i], n[i+1]))
	}
	end := len(n) - 2
	x, y := float64(n[end]), float64(n[end+1])
	dx, dy := x-float64(n[end-2]), y-float64(n[end-1])
	length := math.Hypot(dx, dy)
	if length == 0 {
		return fmt.Errorf("the last two points are the same")
	}
	dx, dy = dx/length, dy/length
	if arrow { // the line ends within the head
		points[len(points)-1] = fmt.Sprintf("%.1f,%.1f", x-5*dx, y-5*dy)
	}
	fmt.Fprintf(&p.b, `<polyline class="line %s" points="%s"/>`+"\n", class, strings.Join(points, " "))
	if arrow {
		const long, half = 10, 4.5
		fmt.Fprintf(&p.b, `<polygon class="point" points="%.1f,%.1f %.1f,%.1f %.1f,%.1f"/>`+"\n",
			x, y, x-long*dx-half*dy, y-long*dy+half*dx, x-long*dx+half*dy, y-long*dy-half*dx)
	}
	return nil
}
