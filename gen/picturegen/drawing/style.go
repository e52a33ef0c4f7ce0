package drawing

import (
	"fmt"
	"strings"
)

// colours are those of a class in light and in dark surroundings.
var colours = []struct{ class, light, dark string }{
	{"a", "#cfe3fb", "#1f4a7a"},
	{"b", "#d3efd6", "#22593a"},
	{"c", "#fdeebf", "#6a5214"},
	{"d", "#f9d6d6", "#76323a"},
	{"frame", "#f4f5f7", "#262b36"},
	{"plain", "#ffffff", "#171b24"},
}

// shapes are the rules that are the same in all surroundings.
const shapes = `.box{stroke:currentColor;stroke-width:1.2}
.head{stroke:none;fill:none}
.line{stroke:currentColor;fill:none;stroke-width:1.5}
.strong{stroke-width:3}
.dashed{stroke-dasharray:5 4}
.point{fill:currentColor;stroke:none}
.text{fill:currentColor;font-family:"DejaVu Sans",Verdana,sans-serif;font-size:13px}
.small{font-size:11px}
.bold{font-weight:bold}
.code{font-family:"DejaVu Sans Mono",Menlo,monospace;font-size:12px}
`

// rules returns the rules for the colours below a selector.
func rules(selector string, dark bool) string {
	var b strings.Builder
	text := "#1c2330"
	if dark {
		text = "#e6e9ef"
	}
	fmt.Fprintf(&b, "%s{color:%s}\n", selector, text)
	for _, c := range colours {
		fill := c.light
		if dark {
			fill = c.dark
		}
		fmt.Fprintf(&b, "%s .%s{fill:%s}\n", selector, c.class, fill)
	}
	return b.String()
}

// Style returns the style of a picture by itself.
func Style() string {
	return shapes + rules("svg", false) + "@media (prefers-color-scheme: dark){\n" + rules("svg", true) + "}\n"
}

// SiteStyle returns the style of pictures that are parts of pages of the site.
func SiteStyle() string {
	var b strings.Builder
	for _, rule := range strings.SplitAfter(shapes, "\n") {
		if rule != "" {
			b.WriteString(".picture svg " + rule)
		}
	}
	return b.String() + rules(".picture svg", false) + rules(`[data-md-color-scheme="slate"] .picture svg`, true)
}
