// Package ranges writes lists of ranks for messages.
package ranges

import (
	"fmt"
	"strings"
)

// most is how many ranges a text has at most.
const most = 8

// Text writes ascending numbers as 1, 4-7. It leaves out what would make a long line.
func Text(ranks []int) string {
	var texts []string
	for i := 0; i < len(ranks); {
		end := i + 1
		for end < len(ranks) && ranks[end] == ranks[end-1]+1 {
			end++
		}
		if len(texts) == most {
			return fmt.Sprintf("%s and %d more", strings.Join(texts, ", "), len(ranks)-i)
		}
		text := fmt.Sprint(ranks[i])
		if end > i+1 {
			text += fmt.Sprintf("-%d", ranks[end-1])
		}
		texts = append(texts, text)
		i = end
	}
	return strings.Join(texts, ", ")
}

// Of writes ascending numbers of ranks as "rank 3" or "ranks 1, 4-7".
func Of(ranks []int) string {
	if len(ranks) == 1 {
		return "rank " + Text(ranks)
	}
	return "ranks " + Text(ranks)
}
