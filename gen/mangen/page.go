package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goacp/goacp/internal/ground/release"
)

// page is a manual page that is being written.
type page struct {
	name    string
	section int
	b       strings.Builder
}

// newPage begins a page. about is the line behind its names, without a full stop.
func newPage(name string, section int, names []string, about string) *page {
	p := &page{name: name, section: section}
	volume := map[int]string{1: "Commands", 3: "Library Functions", 5: "File Formats", 7: "Overviews"}[section]
	fmt.Fprintf(&p.b, ".\\\" Written by gen/mangen.\n.TH %s %d %s \"GoACP %s\" \"%s\"\n", macroArgument(strings.ToUpper(name)), section, date, release.Version, volume)
	p.b.WriteString(".nh\n.SH NAME\n") // names of functions and options are not hyphenated
	p.fill(plain(strings.Join(names, ", ")) + ` \- ` + plain(about))
	return p
}

// add puts the page among the files.
func (p *page) add(files map[string]string) {
	files[pagePath(p.name, p.section)] = p.b.String()
}

// pagePath is the path of a page.
func pagePath(name string, section int) string {
	return fmt.Sprintf("man/man%d/%s.%d", section, name, section)
}

// linkTo begins the text of a file that is a symbolic link. The rest is the target.
const linkTo = "\x00"

// addLink makes the page target of the same section known by another name.
func addLink(files map[string]string, name, target string, section int) {
	files[pagePath(name, section)] = fmt.Sprintf("%s%s.%d", linkTo, target, section)
}

// heading begins a section of the page.
func (p *page) heading(title string) {
	fmt.Fprintf(&p.b, ".SH %s\n", macroArgument(strings.ToUpper(title)))
}

// subheading begins a part of a section.
func (p *page) subheading(title string) { fmt.Fprintf(&p.b, ".SS %s\n", macroArgument(title)) }

// paragraph writes a paragraph of text that plain or markdown has prepared.
func (p *page) paragraph(text string) {
	p.separate()
	p.fill(text)
}

// separate begins a paragraph. A heading has done so already.
func (p *page) separate() {
	text := strings.TrimSuffix(p.b.String(), "\n")
	if last := text[strings.LastIndexByte(text, '\n')+1:]; !strings.HasPrefix(last, ".SH ") && !strings.HasPrefix(last, ".SS ") {
		p.b.WriteString(".PP\n")
	}
}

// item writes a term and what it means. More paragraphs may follow by next.
func (p *page) item(term, text string) {
	p.b.WriteString(".TP\n" + beginsLine(term) + "\n") // the term is one line
	if text == "" {
		text = `\&`
	}
	p.fill(text)
}

// verbatim writes lines as they are.
func (p *page) verbatim(lines []string) {
	p.separate()
	p.b.WriteString(".RS 4\n.nf\n")
	for _, l := range lines {
		if l == "" {
			p.b.WriteString("\\&\n")
			continue
		}
		p.b.WriteString(beginsLine(literal(strings.TrimRight(l, " "))) + "\n")
	}
	p.b.WriteString(".fi\n.RE\n")
}

// fill writes prepared text in lines of less than 80 characters. Lines end between words.
func (p *page) fill(text string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > 78 {
			p.b.WriteString(beginsLine(line) + "\n")
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	p.b.WriteString(beginsLine(line) + "\n")
}

// beginsLine keeps a line from being read as a request.
func beginsLine(line string) string {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

// macroArgument returns text as one argument of a macro.
func macroArgument(text string) string {
	return `"` + strings.ReplaceAll(plain(text), `"`, `\(dq`) + `"`
}

var hyphen = regexp.MustCompile(`(^|[^\pL\d])-`)

// plain returns prose in the notation of roff. A dash between letters is a hyphen, any other one a minus.
func plain(text string) string {
	text = escape(text)
	for hyphen.MatchString(text) {
		text = hyphen.ReplaceAllString(text, `$1\x00`)
	}
	return strings.ReplaceAll(text, `\x00`, `\-`)
}

// literal returns the text of a program or a command.
func literal(text string) string { return strings.ReplaceAll(escape(text), "-", `\-`) }

// bold returns literal text in bold letters.
func bold(text string) string { return `\fB` + literal(text) + `\fP` }

// escape replaces the characters that roff would not print as they are.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r > 126:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
