package process

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

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/shell"
)

// FindProgram returns the path of a program. It searches the PATH of env, as a shell in the directory dir does; "" is the working
// directory of this process.
func FindProgram(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") && !shell.IsAssignment(name) {
		return name, nil
	}
	path, _ := envvar.Lookup(env, "PATH")
	for _, folder := range filepath.SplitList(path) {
		file := In(dir, filepath.Join(folder, name))
		if info, err := os.Stat(file); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("program %s: no such executable in PATH%s", name, adviceForProgram(name, dir))
}

// In returns a path that means in every directory what path means in dir; "" is the working directory of this process.
func In(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// shellCommands are commands of a shell. Their names appear in place of a program when a user forgets the
// shell.
var shellCommands = map[string]bool{
	"cd": true, "export": true, "source": true, ".": true, "ulimit": true, "umask": true, "set": true, "unset": true,
	"exec": true, "eval": true, "module": true, "if": true, "for": true, "while": true, "(": true, "{": true,
}

// adviceForProgram returns the end of a message about a program that does not exist: the program or the shell
// command that the user may have meant.
func adviceForProgram(name, dir string) string {
	_, err := strconv.Atoi(name)
	switch {
	case shell.IsAssignment(name):
		return "; variables are set by env: env " + name + " program …"
	case shellCommands[name]:
		return "; it is a command of the shell: sh -c '" + name + " …'"
	case err == nil:
		return "; the number of processes is -np " + name
	}
	if info, err := os.Stat(In(dir, name)); err == nil && !info.IsDir() {
		return "; did you mean ./" + name + "?"
	}
	return ""
}

// StartError returns the reason why a program could not be started: the error of the system, and the defect
// of the file if one is found.
func StartError(name, path string, err error) error {
	return fmt.Errorf("cannot start %s: %w%s", name, PathCause(err), adviceForFile(path, err))
}

// adviceForFile returns the end of a message about a file that could not be started: the defect of the file.
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
	// The file exists, but its interpreter or its loader does not.
	interpreter, script := interpreterOf(path)
	switch {
	case !script:
		return ": the loader or a library that it names is missing"
	case strings.HasSuffix(interpreter, "\r"):
		return ": the script has line ends of Windows (sed -i 's/\\r$//' " + shell.Quote(path) + ")"
	}
	return ": its interpreter " + interpreter + " is missing"
}

// interpreterOf returns the interpreter that the first line of a script names.
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

// PathCause returns the cause of an error of package os without the operation and the file
// name. Use it where the message names the file already.
func PathCause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
