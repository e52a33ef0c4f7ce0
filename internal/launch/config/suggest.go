package config

import (
	"slices"
)

// suggestion returns the name that differs from word by the fewest insertions, deletions and
// substitutions. It returns "" if no name is close enough to be meant.
func suggestion(word string, names []string) string {
	slices.Sort(names)
	best, limit := "", len(word)/3+1
	for _, name := range names {
		if d := editDistance(word, name); d <= limit && (best == "" || d < editDistance(word, best)) {
			best = name
		}
	}
	return best
}

// editDistance returns the number of insertions, deletions and substitutions between two short
// words.
func editDistance(a, b string) int {
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
