package mpilauncher

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/shell"
)

// maxScript is how much of a script is read, in bytes.
const maxScript = 64 << 10

// scriptQuestion returns the command that asks the launcher in a script for its version. The script is the
// launcher of a runtime line, and passes its arguments on by $@ or $*. It returns "" if the launcher is no
// script, or if the script contains commands that must not be carried out twice.
func scriptQuestion(launcher, dir string, environ []string) string {
	file, err := os.Open(findLauncher(launcher, dir, environ))
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxScript))
	if err != nil || !bytes.HasPrefix(text, []byte("#!")) {
		return ""
	}
	question := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || !strings.Contains(line, "$@") && !strings.Contains(line, "$*") {
			continue
		}
		question = ""
		if shell.LauncherWord(line) != "" && shell.Repeatable(line) {
			question = shell.Question(line)
		}
	}
	return question
}

// findLauncher returns the file of a launcher, which the shell looks up in PATH.
func findLauncher(launcher, dir string, environ []string) string {
	if strings.Contains(launcher, "/") {
		if filepath.IsAbs(launcher) {
			return launcher
		}
		return filepath.Join(dir, launcher)
	}
	path, _ := envvar.Lookup(environ, "PATH")
	for _, folder := range filepath.SplitList(path) {
		if file, err := exec.LookPath(filepath.Join(folder, launcher)); err == nil {
			return file
		}
	}
	return launcher
}
