package reference

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// binding is what other languages have for a function of C.
type binding struct {
	c      string
	golang []string // such as Process.Sync and couple.NewModel
	python []string // such as Run.sync
}

var bindingRow = regexp.MustCompile("(?m)^\\| `(acp_\\w+)` \\| ([^|]*) \\| ([^|]*) \\| `(\\w+)` \\|$")

// readBindings reads the tables of docs/bindings.md.
func readBindings(name string) ([]binding, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	names := func(cell string) []string {
		var list []string
		for _, n := range strings.Split(cell, ",") {
			if n = strings.Trim(n, " `"); n != "–" {
				list = append(list, n)
			}
		}
		return list
	}
	var all []binding
	for _, m := range bindingRow.FindAllStringSubmatch(string(text), -1) {
		all = append(all, binding{c: m[1], golang: names(m[2]), python: names(m[3])})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no tables of functions", name)
	}
	return all, nil
}
