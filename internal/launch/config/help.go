package config

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// synopsis returns the first line of the help text.
func (p Program) synopsis() string {
	switch p {
	case Macprun:
		return "usage: macprun [options] [inputfile | description.yaml]"
	case Dmimw:
		return "usage: dmimw [options] program [arguments]"
	}
	return "usage: acprun [options] program [arguments]"
}

// WriteHelp writes the help text of p: with all options, or with the most useful ones and where the rest is.
func WriteHelp(w io.Writer, p Program, all bool) error {
	var b strings.Builder
	fmt.Fprintln(&b, p.synopsis())
	switch p {
	case Macprun:
		fmt.Fprintln(&b, "Starts the jobs of an inputfile (by default standard input) or of a YAML description\nas one run with one ACP rank space.")
	case Dmimw:
		fmt.Fprintln(&b, "Starts processes of a program with DMI. Process 0 runs DMI_main. Options come before the program.")
	default:
		fmt.Fprintln(&b, "Starts processes of an ACP program. Options come before the program.")
	}
	fmt.Fprintln(&b)
	for _, s := range settings() {
		switch {
		case s.programs&p == 0 || s.hidden:
		case all:
			fmt.Fprintf(&b, "  %s\n        %s", strings.Join(s.spellings(), ", "), s.help)
			if s.env != "" {
				fmt.Fprintf(&b, " (environment: %s)", s.env)
			}
			fmt.Fprintln(&b)
		case s.often&p != 0:
			fmt.Fprintf(&b, "  -%s\n%s", strings.TrimSpace(s.preferred()+" "+s.value), folded(s.help, 8))
		}
	}
	if !all {
		b.WriteString(p.more())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// more returns the end of the short help: where the rest is.
func (p Program) more() string {
	page, example := "docs/launching.md", "acprun -np 4 ./program"
	switch p {
	case Macprun:
		example = "macprun run.yaml"
	case Dmimw:
		page, example = "docs/dmi.md", "dmimw -n 4 ./program"
	}
	return fmt.Sprintf(`
For example:  %s

All options:  %v -help-all
The manual:   man %v, and %s of the source
Runs that go on, and what their ranks do:  acpstat
`, example, p, p, page)
}

// preferred returns the spelling with one dash that the short help shows.
func (s setting) preferred() string {
	if slices.Contains(s.short, s.name) {
		return s.name
	}
	return s.short[0]
}

// folded returns text in lines of at most 80 characters, indented.
func folded(text string, indent int) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		switch n := len([]rune(word)); {
		case width == 0:
			b.WriteString(strings.Repeat(" ", indent))
			width = indent + n
		case width+1+n > 80:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			width = indent + n
		default:
			b.WriteString(" ")
			width += 1 + n
		}
		b.WriteString(word)
	}
	return b.String() + "\n"
}
