package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/shell"
)

// lookProgram finds a program as a shell would, with the PATH of the job.
func lookProgram(name string, env []string) (string, error) {
	if strings.Contains(name, "/") && !shell.IsAssignment(name) {
		return name, nil
	}
	path, _ := envvar.Lookup(env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("program %s: no such executable in PATH%s", name, adviceForProgram(name))
}

// shellCommands are commands of a shell that are no programs, or not of the kind that
// was meant.
var shellCommands = map[string]bool{
	"cd": true, "export": true, "source": true, ".": true, "ulimit": true, "umask": true, "set": true, "unset": true,
	"exec": true, "eval": true, "module": true, "if": true, "for": true, "while": true, "(": true, "{": true,
}

// adviceForProgram says what was perhaps meant by the name of a program that is not
// there, as the end of a message.
func adviceForProgram(name string) string {
	_, err := strconv.Atoi(name)
	switch {
	case shell.IsAssignment(name):
		return "; variables are set by env: env " + name + " program …"
	case shellCommands[name]:
		return "; it is a command of the shell: sh -c '" + name + " …'"
	case err == nil:
		return "; the number of processes is -np " + name
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return "; did you mean ./" + name + "?"
	}
	return ""
}

// startError says why a program could not be started: what the system says, and what
// is wrong with the file if that can be seen.
func startError(name, path string, err error) error {
	return fmt.Errorf("cannot start %s: %w%s", name, pathCause(err), adviceForFile(path, err))
}

// adviceForFile looks at a file that could not be started. It is the end of a message.
func adviceForFile(path string, err error) string {
	info, statErr := os.Stat(path)
	switch {
	case statErr != nil:
		return ""
	case info.IsDir():
		return ": it is a directory"
	case errors.Is(err, syscall.EACCES) && info.Mode()&0o111 == 0:
		return ": it is not executable (chmod +x " + shell.Quote(path) + ")"
	case errors.Is(err, syscall.ENOEXEC):
		return ": it is no program of this machine, and no script that begins with #!"
	case !errors.Is(err, syscall.ENOENT):
		return ""
	}
	// The file is there, but not what it is to be run by.
	interpreter, script := interpreterOf(path)
	switch {
	case !script:
		return ": the loader or a library that it names is missing"
	case strings.HasSuffix(interpreter, "\r"):
		return ": the script has line ends of Windows (sed -i 's/\\r$//' " + shell.Quote(path) + ")"
	}
	return ": its interpreter " + interpreter + " is missing"
}

// interpreterOf reads from the first line of a script what it is to be run by.
func interpreterOf(path string) (interpreter string, script bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	begin := make([]byte, 256)
	n, err := io.ReadFull(f, begin)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", false
	}
	line, _, _ := bytes.Cut(begin[:n], []byte{'\n'})
	rest, script := bytes.CutPrefix(line, []byte("#!"))
	interpreter, _, _ = strings.Cut(strings.TrimLeft(string(rest), " \t"), " ")
	return interpreter, script
}

// pathCause takes operation and file name off an error of package os, where the
// message names the file already.
func pathCause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
