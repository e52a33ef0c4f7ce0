package envvar

import (
	"slices"
	"strings"
)

// Lookup returns the value of a variable in environ, a list of NAME=VALUE. The last entry
// counts.
func Lookup(environ []string, name string) (value string, set bool) {
	for _, entry := range environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			value, set = v, true
		}
	}
	return value, set
}

// With returns environ with the entries vars, which replace older entries of their names.
func With(environ []string, vars ...string) []string {
	result := slices.Clone(environ)
	for _, entry := range vars {
		name, _, _ := strings.Cut(entry, "=")
		result = slices.DeleteFunc(result, func(old string) bool {
			return strings.HasPrefix(old, name+"=")
		})
		result = append(result, entry)
	}
	return result
}

// Names returns the names of the variables in a list of NAME=VALUE.
func Names(vars []string) []string {
	names := make([]string, len(vars))
	for i, entry := range vars {
		names[i], _, _ = strings.Cut(entry, "=")
	}
	return names
}
