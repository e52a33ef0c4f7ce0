// Sitegen writes what MkDocs makes the site of the manual from:
//
//	go run ./gen/sitegen FOLDER VERSION
//
// writes FOLDER/mkdocs.yml and the pages in FOLDER/pages. make site calls it, then MkDocs, and then
//
//	go run ./gen/sitegen -finish SITE
//
// which lets the search work without a server, and reports links of the site that lead nowhere, and anything that a browser would load from another host.
//
// The pages of docs are plain Markdown, which forges show as well. Sitegen changes what MkDocs understands differently:
//
//   - Blocks between <!-- tabs --> and <!-- end of tabs --> become tabs. A line in bold letters names each of them.
//   - Pictures become a part of the page, so that they have the colours of its theme.
//   - The pages with all functions are made of the sources: package reference.
//   - Each release of CHANGELOG.md has a page.
//   - A link to a source file or to a folder leads to a page that shows it.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sitegen:", err)
		os.Exit(1)
	}
}

// run does what the arguments of the command say.
func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: sitegen FOLDER VERSION, or sitegen -finish SITE")
	}
	if args[0] == "-finish" {
		if err := offline(args[1]); err != nil {
			return err
		}
		return check(args[1])
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	return generate(strings.TrimSpace(string(out)), args[0], args[1])
}
