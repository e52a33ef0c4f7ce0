package launch

import (
	"path"
	"regexp"
	"strings"
)

// plainWord matches words that a POSIX shell passes on unchanged.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// shellQuote writes word so that a POSIX shell passes it on unchanged.
func shellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// shellJoin quotes words and joins them to one command.
func shellJoin(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellQuote(w)
	}
	return strings.Join(quoted, " ")
}

// assignment matches a variable assignment in front of a command.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// launcherWord is the first word of a runtime line that is no assignment, the
// program that starts the job, with its quotes taken off; "" if there is none.
func launcherWord(line string) string {
	for len(line) > 0 {
		word, rest := cutWord(line)
		if !assignment.MatchString(word) {
			return word
		}
		line = rest
	}
	return ""
}

// cutWord splits off the first word of a shell command and takes its quotes off.
func cutWord(line string) (word, rest string) {
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

// isAcprun reports whether a runtime line starts its job through acprun.
func isAcprun(line string) bool { return path.Base(launcherWord(line)) == "acprun" }
