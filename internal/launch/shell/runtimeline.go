package shell

import (
	"path"
	"strings"
)

// separators end a command of a shell line.
const separators = ";&|\n"

// lastCommand returns the part of a runtime line that starts the job: the part after the last
// separator outside of quotes, as in `. ./env.sh; mpirun`.
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

// LauncherWord returns the word of a runtime line that names the launcher, without quotes: the
// first word of the last command that is neither an assignment nor part of a prefix such as
// nice -n 5. It returns "" if there is none.
func LauncherWord(line string) string {
	begin, _, _ := launcherAt(line)
	word, _ := CutWord(line[begin:])
	return word
}

// IsAcprun reports whether a runtime line starts its job through acprun.
func IsAcprun(line string) bool { return path.Base(LauncherWord(line)) == "acprun" }

// WithExec returns a runtime line in which the launcher replaces the shell. So the exit status
// is that of the launcher, and signals reach it directly. If the line is not one simple
// command, WithExec returns it unchanged.
func WithExec(line string) string {
	line = strings.TrimLeft(line, " \t")
	if strings.ContainsAny(line, ";&|(){}`!\n") {
		return line
	}
	rest := line
	word, next := CutWord(rest)
	for ; IsAssignment(word); word, next = CutWord(rest) {
		rest = next
	}
	if !strings.HasPrefix(rest, word) || !plainWord.Get().MatchString(word) || shellCommands[word] {
		return line
	}
	return line[:len(line)-len(rest)] + "exec " + rest
}

// shellCommands are commands of the shell that users may write before a launcher.
var shellCommands = map[string]bool{
	".": true, "exec": true, "eval": true, "command": true, "cd": true, "umask": true, "ulimit": true, "export": true,
	"set": true, "unset": true, "trap": true, "time": true, "if": true, "for": true, "while": true, "until": true, "case": true,
}

// LauncherPrefix returns the beginning of a runtime line up to and including the launcher, as
// it is written.
func LauncherPrefix(line string) string {
	_, end, _ := launcherAt(line)
	return strings.TrimRight(line[:end], " \t")
}

// CutLauncher returns a runtime line in three parts: the text before the launcher, the launcher, and the text
// behind it. The parts are not changed.
func CutLauncher(line string) (before, launcher, after string) {
	begin, end, _ := launcherAt(line)
	return line[:begin], line[begin:end], line[end:]
}

// Question returns the command that starts the launcher of a runtime line to ask it for its
// version. It leaves out prefixes that do not change which launcher that is, such as strace.
func Question(line string) string {
	begin, end, question := launcherAt(line)
	return strings.TrimSuffix(line, lastCommand(line)) + question + line[begin:end]
}

// harmless are commands that may be carried out once more, to ask the launcher behind them for
// its version.
var harmless = map[string]bool{
	".": true, "source": true, "cd": true, "export": true, "module": true, "ml": true,
	"set": true, "ulimit": true, "umask": true, "unset": true,
}

// Repeatable reports whether the commands before the launcher of a runtime line are harmless,
// and the words up to the launcher need no expansion by the shell.
func Repeatable(line string) bool {
	before := strings.TrimSuffix(line, lastCommand(line))
	if strings.ContainsAny(Question(line), "`$()<>{}") {
		return false
	}
	for _, command := range strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if word := LauncherWord(command); word != "" && !harmless[word] {
			return false
		}
	}
	return true
}

// AssignByEnv makes a command one that a launcher can start. Assignments before a program are syntax of the
// shell, so AssignByEnv puts env before them.
func AssignByEnv(command string) string {
	if word, _ := CutWord(command); IsAssignment(word) {
		return "env " + command
	}
	return command
}
