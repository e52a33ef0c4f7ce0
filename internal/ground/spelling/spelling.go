// Package spelling finds the name that a misspelt one was meant to be, for messages.
package spelling

import (
	"fmt"
	"slices"
	"strings"
)

// longest is the length in bytes of the longest word that Nearest compares. The time of a comparison
// grows with the product of both lengths, and words may come from a peer.
const longest = 256

// Nearest returns the name that differs from word by the fewest insertions, deletions and
// substitutions of bytes, the first in lexical order among equals. It returns "" if no name is close
// enough to be meant. It does not change names.
func Nearest(word string, names []string) string {
	if len(word) > longest {
		return ""
	}
	limit := len(word)/3 + 1
	best, least := "", limit+1
	for _, name := range slices.Sorted(slices.Values(names)) {
		if len(name) > len(word)+limit {
			continue
		}
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance returns the number of insertions, deletions and substitutions of bytes between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances between the first i bytes of a and the first j of b
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

// List returns names for a message.
func List(names []string) string {
	const most = 20
	if len(names) == 0 {
		return "none"
	}
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// Choices returns names for a message that word is none of them. The one that Nearest returns is named again.
func Choices(word string, names []string) string {
	text := List(names)
	if near := Nearest(word, names); near != "" && len(names) > 1 {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return text
}
