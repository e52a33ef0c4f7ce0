package mpiflags

import (
	"fmt"
	"strings"
)

// Split cuts a line into words as a POSIX shell does: at blanks, tabs and
// newlines, with single quotes, double quotes and backslashes taken away.
// Nothing is expanded: $, * and ~ are ordinary characters. An open quote or a
// backslash at the end is an error that names it.
func Split(line string) ([]string, error) {
	var (
		words  []string
		word   strings.Builder
		inWord bool
		quote  byte // ' or " while inside quotes, else 0
	)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\':
			word.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\':
			if i+1 == len(line) {
				return nil, fmt.Errorf("backslash at the end of %q: expected a character after it", line)
			}
			i++
			if quote == '"' && !strings.ContainsRune("\\\"$`\n", rune(line[i])) {
				word.WriteByte('\\')
			}
			word.WriteByte(line[i])
			inWord = true
		case c == '\'' || c == '"':
			quote = c
			inWord = true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("quote %c is not closed in %q", quote, line)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// Quote returns word in a form that a POSIX shell, [Split] and the cgo variables
// of the go command read back as that one word. Words of harmless characters are
// returned as they are. (The go command knows no backslash: a word that needs one,
// with both kinds of quotes in it, is right for shells only.)
func Quote(word string) string {
	switch {
	case word != "" && strings.IndexFunc(word, special) < 0:
		return word
	case strings.Contains(word, "'") && !strings.ContainsAny(word, "\"\\$`"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Join quotes every word and puts blanks between them.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

func special(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r > 127:
		return false
	}
	return !strings.ContainsRune("-_./,:=+@%^", r)
}
