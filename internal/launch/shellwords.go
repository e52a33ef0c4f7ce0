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

// variableName matches the names that variables of a shell can have.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// separators end a command of a shell line.
const separators = ";&|\n"

// lastCommand is the part of a runtime line that starts the job: what stands
// after the last separator outside of quotes, as in `. ./env.sh; mpirun`.
func lastCommand(line string) string {
	var quote byte
	start := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '\'':
		case c == '\\':
			i++
		case quote != 0:
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte(separators, c) >= 0:
			start = i + 1
		}
	}
	return line[start:]
}

// launcherWord is the word of a runtime line that names the program that starts
// the job, with its quotes taken off: the first of the last command that is no
// assignment; "" if there is none.
func launcherWord(line string) string {
	for line = lastCommand(line); len(line) > 0; {
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

// splitWords splits a command into words and takes their quotes off.
func splitWords(command string) []string {
	var words []string
	for command = strings.TrimLeft(command, " \t"); command != ""; {
		var word string
		word, command = cutWord(command)
		words = append(words, word)
	}
	return words
}

// isAcprun reports whether a runtime line starts its job through acprun.
func isAcprun(line string) bool { return path.Base(launcherWord(line)) == "acprun" }

// inPlace has the shell replace itself by the launcher, where the line is one
// simple command: then the launcher's own end is seen, and its signals reach it
// directly. Any other line is left to the shell.
func inPlace(line string) string {
	line = strings.TrimLeft(line, " \t")
	if strings.ContainsAny(line, ";&|(){}`!\n") {
		return line
	}
	prefix := launcherPrefix(line)
	word := prefix[strings.LastIndexAny(prefix, " \t")+1:]
	if !plainWord.MatchString(word) || shellWords[word] {
		return line
	}
	return strings.TrimSuffix(prefix, word) + "exec " + word + line[len(prefix):]
}

// shellWords are the first words that mean something to the shell itself and
// that a user might write in front of a launcher.
var shellWords = map[string]bool{
	".": true, "exec": true, "eval": true, "command": true, "cd": true, "umask": true, "ulimit": true, "export": true,
	"set": true, "unset": true, "trap": true, "if": true, "for": true, "while": true, "until": true, "case": true,
}

// launcherPrefix is the beginning of a runtime line up to the word that names
// the launcher, as it was written.
func launcherPrefix(line string) string {
	rest := lastCommand(line)
	for rest != "" {
		var word string
		word, rest = cutWord(rest)
		if !assignment.MatchString(word) {
			break
		}
	}
	return strings.TrimRight(line[:len(line)-len(rest)], " \t")
}

// harmless are the commands that may stand before a launcher and be carried out
// once more to ask the launcher for its version.
var harmless = map[string]bool{
	".": true, "source": true, "cd": true, "export": true, "module": true, "ml": true,
	"set": true, "ulimit": true, "umask": true, "unset": true,
}

// askable reports whether everything before the last command of a runtime line
// is harmless, and nothing in it needs more than a look at its words.
func askable(line string) bool {
	before := strings.TrimSuffix(line, lastCommand(line))
	if strings.ContainsAny(launcherPrefix(line), "`$()<>{}") {
		return false
	}
	for _, command := range strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if word := launcherWord(command); word != "" && !harmless[word] {
			return false
		}
	}
	return true
}
