package config

import (
	"fmt"
	"io"
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

// WriteHelp writes the help text of p.
func WriteHelp(w io.Writer, p Program) error {
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
		if s.programs&p == 0 || s.hidden {
			continue
		}
		fmt.Fprintf(&b, "  %s\n        %s", strings.Join(s.spellings(), ", "), s.help)
		if s.env != "" {
			fmt.Fprintf(&b, " (environment: %s)", s.env)
		}
		fmt.Fprintln(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
