package shell

import (
	"path"
	"strings"
)

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

// LauncherWord is the word of a runtime line that names the program that starts
// the job, with its quotes taken off: the first of the last command that is no
// assignment; "" if there is none.
func LauncherWord(line string) string {
	for line = lastCommand(line); len(line) > 0; {
		word, rest := CutWord(line)
		if !IsAssignment(word) {
			return word
		}
		line = rest
	}
	return ""
}

// IsAcprun reports whether a runtime line starts its job through acprun.
func IsAcprun(line string) bool { return path.Base(LauncherWord(line)) == "acprun" }

// WithExec has the shell replace itself by the launcher, where the line is one
// simple command: then the launcher's own end is seen, and its signals reach it
// directly. Any other line is left to the shell.
func WithExec(line string) string {
	line = strings.TrimLeft(line, " \t")
	if strings.ContainsAny(line, ";&|(){}`!\n") {
		return line
	}
	prefix := LauncherPrefix(line)
	word := prefix[strings.LastIndexAny(prefix, " \t")+1:]
	if !plainWord.MatchString(word) || shellCommands[word] {
		return line
	}
	return strings.TrimSuffix(prefix, word) + "exec " + word + line[len(prefix):]
}

// shellCommands are the first words that mean something to the shell itself and
// that a user might write in front of a launcher.
var shellCommands = map[string]bool{
	".": true, "exec": true, "eval": true, "command": true, "cd": true, "umask": true, "ulimit": true, "export": true,
	"set": true, "unset": true, "trap": true, "if": true, "for": true, "while": true, "until": true, "case": true,
}

// LauncherPrefix is the beginning of a runtime line up to the word that names
// the launcher, as it was written.
func LauncherPrefix(line string) string {
	rest := lastCommand(line)
	for rest != "" {
		var word string
		word, rest = CutWord(rest)
		if !IsAssignment(word) {
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

// Repeatable reports whether everything before the last command of a runtime line
// is harmless, and nothing in it needs more than a look at its words.
func Repeatable(line string) bool {
	before := strings.TrimSuffix(line, lastCommand(line))
	if strings.ContainsAny(LauncherPrefix(line), "`$()<>{}") {
		return false
	}
	for _, command := range strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if word := LauncherWord(command); word != "" && !harmless[word] {
			return false
		}
	}
	return true
}

// AssignByEnv makes a command in shell syntax one that a launcher can start as it
// is: assignments before a program are words of the shell only, and env knows them.
func AssignByEnv(command string) string {
	if word, _ := CutWord(command); IsAssignment(word) {
		return "env " + command
	}
	return command
}
