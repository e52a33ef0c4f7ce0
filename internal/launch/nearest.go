package launch

import (
	"fmt"
	"slices"
	"strings"
)

// nearest returns the name that differs from word by the fewest insertions,
// deletions and substitutions, or "" if none is close enough to be meant.
func nearest(word string, names []string) string {
	slices.Sort(names)
	best, limit := "", len(word)/3+1
	for _, name := range names {
		if d := distance(word, name); d <= limit && (best == "" || d < distance(word, best)) {
			best = name
		}
	}
	return best
}

// distance is the edit distance of two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// carried names the variables that travel between launchers and processes, and
// those of earlier releases, which programs may still have set.
func carried() []string {
	return []string{envRendezvous, envToken, envJob, envJobRank, envReport,
		"ACP_MYRANK", "ACP_NUMPROCS", "ACP_TASKID", "ACP_LPORT", "ACP_RPORT", "ACP_RHOST", "ACP_ENVNET"}
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
	known := append(slices.Clone(names), carried()...)
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
