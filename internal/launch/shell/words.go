package shell

import (
	"strings"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
)

// plainWord matches words that a POSIX shell leaves unchanged.
var plainWord = lazyregexp.New(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// Quote quotes word so that a POSIX shell leaves it unchanged.
func Quote(word string) string {
	if plainWord.Get().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Join quotes words and joins them to one command.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

// assignment matches the begin of a word that sets a variable.
var assignment = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// IsAssignment reports whether a word in front of a command sets a variable.
func IsAssignment(word string) bool { return assignment.Get().MatchString(word) }

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// IsVariableName reports whether a variable of a shell can have a name.
func IsVariableName(name string) bool { return variableName.Get().MatchString(name) }

// CutWord returns the first word of a shell command without its quotes, and the rest.
func CutWord(line string) (word, rest string) {
	line = strings.TrimLeft(line, " \t")
	var b strings.Builder
	var quote byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\':
			b.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t':
			return b.String(), strings.TrimLeft(line[i:], " \t")
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// Split returns the words of a command without their quotes.
func Split(command string) []string {
	var words []string
	for command = strings.TrimLeft(command, " \t"); command != ""; {
		var word string
		word, command = CutWord(command)
		words = append(words, word)
	}
	return words
}
