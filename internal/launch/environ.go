package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/envvar"
)

// carried names the variables that travel between launchers and processes, and
// those of earlier releases, which may still be set.
func carried() []string {
	return []string{envRendezvous, envTokenFile, envJob, envJobRank, envReport,
		"ACP_TOKEN", "ACP_MYRANK", "ACP_NUMPROCS", "ACP_TASKID", "ACP_LPORT", "ACP_RPORT", "ACP_RHOST", "ACP_ENVNET"}
}

// withoutCarried returns environ without what makes a process a member of a run.
func withoutCarried(environ []string) []string {
	names := carried()
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}

// checkEnvironment returns one warning per variable of environ that begins with
// ACP_ and means nothing to launchers and library.
func checkEnvironment(environ []string) []string {
	var names []string
	for _, s := range settings() {
		if s.env != "" {
			names = append(names, s.env)
		}
	}
	known := append(slices.Clone(names), envvar.Link, envvar.WrapperData)
	known = append(known, carried()...)
	var warnings []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "ACP_") || slices.Contains(known, name) {
			continue
		}
		text := fmt.Sprintf("environment variable %s is unknown and ignored", name)
		if near := nearest(name, names); near != "" {
			text += "; did you mean " + near + "?"
		}
		warnings = append(warnings, text)
	}
	slices.Sort(warnings)
	return warnings
}

// lookupEnv finds the value of a variable in environ; the last entry counts.
func lookupEnv(environ []string, name string) (value string, set bool) {
	for _, entry := range environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			value, set = v, true
		}
	}
	return value, set
}

// withEnv returns environ with vars in the place of what they replace.
func withEnv(environ []string, vars ...string) []string {
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
