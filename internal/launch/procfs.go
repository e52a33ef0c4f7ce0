package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// procfs is the directory where the kernel shows the processes of this host.
type procfs string

// hostProc is the one that the kernel keeps. Tests make their own.
const hostProc procfs = "/proc"

// process is what /proc tells about one process.
type process struct {
	identity
	parent, session int
	zombie          bool
}

// parseStat reads the text of /proc/PID/stat. The name of the program, in
// parentheses, may hold anything, parentheses and newlines included.
func parseStat(text string) (process, error) {
	open, shut := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || shut < open {
		return process{}, errors.New("no program name")
	}
	fields := strings.Fields(text[shut+1:])
	if len(fields) < 20 {
		return process{}, fmt.Errorf("%d fields after the program name, expected 20 or more", len(fields))
	}
	var p process
	for _, f := range []struct {
		to   *int
		text string
	}{{&p.PID, strings.TrimSpace(text[:open])}, {&p.parent, fields[1]}, {&p.session, fields[3]}} {
		n, err := strconv.Atoi(f.text)
		if err != nil {
			return process{}, err
		}
		*f.to = n
	}
	start, err := strconv.ParseUint(fields[19], 10, 64)
	p.Start, p.zombie = start, fields[0] == "Z" || fields[0] == "X"
	return p, err
}

// file is the path of a file about one process.
func (fs procfs) file(pid int, name string) string {
	return filepath.Join(string(fs), strconv.Itoa(pid), name)
}

// stat returns the process that has a number now.
func (fs procfs) stat(pid int) (process, error) {
	text, err := os.ReadFile(fs.file(pid, "stat"))
	if err != nil {
		return process{}, err
	}
	return parseStat(string(text))
}

// processes lists what runs on this host. Processes that end meanwhile are left
// out.
func (fs procfs) processes() ([]process, error) {
	dir, err := os.Open(string(fs))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := fs.stat(pid); err == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// words reads a file about a process in which every word ends with a zero byte.
func (fs procfs) words(pid int, name string) ([]string, error) {
	text, err := os.ReadFile(fs.file(pid, name))
	if err != nil {
		return nil, err
	}
	return strings.Split(string(text), "\x00"), nil
}

// marked reports whether the initial environment of a process holds mark. It is
// false for processes of other users, whose environment is hidden.
func (fs procfs) marked(pid int, mark string) bool {
	environ, err := fs.words(pid, "environ")
	return err == nil && slices.Contains(environ, mark)
}

// configured reports whether a process has got value for a parameter of Open MPI on its
// command line: `-mca NAME VALUE`, with `--prtemca` from Open MPI 5 on. mpirun passes on
// all of its parameters to its daemons in this way. It is false for processes of other
// users, as marked is.
func (fs procfs) configured(pid int, value string) bool {
	words, err := fs.words(pid, "cmdline")
	if err != nil {
		return false
	}
	for i := 2; i < len(words); i++ {
		option := words[i-2]
		if words[i] == value && strings.HasPrefix(option, "-") && strings.HasSuffix(option, "mca") {
			_, err := fs.words(pid, "environ")
			return err == nil
		}
	}
	return false
}

// targets finds the processes that a signal for a started process is meant for:
// itself, or the commands that it waits for if it is a shell.
func (fs procfs) targets(leader identity) []identity {
	shell, err := os.Readlink("/bin/sh")
	if err != nil {
		shell = "sh"
	}
	name, err := os.ReadFile(fs.file(leader.PID, "comm"))
	if err != nil {
		return nil
	}
	if comm := strings.TrimSpace(string(name)); comm != "sh" && comm != filepath.Base(shell) {
		return []identity{leader}
	}
	all, err := fs.processes()
	if err != nil {
		return []identity{leader}
	}
	var targets []identity
	for _, p := range all {
		if p.parent == leader.PID && !p.zombie {
			targets = append(targets, p.identity)
		}
	}
	// The number was the leader's all the time if it still is.
	if targets == nil || !fs.exists(leader) {
		return []identity{leader}
	}
	return targets
}
