package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// ProcFS is a directory in which the kernel shows the processes of this host.
type ProcFS string

// HostProc is the real one. Tests make others.
const HostProc ProcFS = "/proc"

// Info is the entry of one process in /proc.
type Info struct {
	Identity
	Parent, session int
	Zombie          bool
	kernel          bool // a thread of the kernel, which belongs to no user

	// waitStatus is how a zombie has ended, as wait would report it. It is 0 if this process may not read it,
	// or if the kernel does not show it.
	waitStatus syscall.WaitStatus
}

// parseStat reads the text of /proc/PID/stat. The name of the program, in
// parentheses, may hold anything, parentheses and newlines included.
func parseStat(text string) (Info, error) {
	open, shut := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || shut < open {
		return Info{}, errors.New("no program name")
	}
	var fields [waitStatusField + 1]string
	count := 0
	for field := range strings.FieldsSeq(text[shut+1:]) {
		if count == len(fields) {
			break
		}
		fields[count] = field
		count++
	}
	if count < 20 {
		return Info{}, fmt.Errorf("%d fields after the program name, expected 20 or more", count)
	}
	var p Info
	for _, f := range []struct {
		to   *int
		text string
	}{{&p.PID, strings.TrimSpace(text[:open])}, {&p.Parent, fields[1]}, {&p.session, fields[3]}} {
		n, err := strconv.Atoi(f.text)
		if err != nil {
			return Info{}, err
		}
		*f.to = n
	}
	start, err := strconv.ParseUint(fields[19], 10, 64)
	if err != nil {
		return Info{}, err
	}
	flags, err := strconv.ParseUint(fields[6], 10, 32)
	if err != nil {
		return Info{}, err
	}
	p.Start, p.Zombie, p.kernel = start, fields[0] == "Z" || fields[0] == "X", flags&flagKernelThread != 0
	if p.Zombie && count > waitStatusField {
		status, err := strconv.ParseUint(fields[waitStatusField], 10, 32)
		if err != nil {
			return Info{}, err
		}
		p.waitStatus = syscall.WaitStatus(status)
	}
	return p, nil
}

// flagKernelThread is PF_KTHREAD of the kernel.
const flagKernelThread = 0x00200000

// waitStatusField is the index of exit_code among the fields after the program name.
const waitStatusField = 49

// file is the path of a file about one process.
func (fs ProcFS) file(pid int, name string) string {
	return string(fs) + "/" + strconv.Itoa(pid) + "/" + name
}

// stat returns the process that has the number pid now.
func (fs ProcFS) stat(pid int) (Info, error) {
	var text [statSize]byte
	n, err := readStat(fs.file(pid, "stat"), text[:])
	if err != nil {
		return Info{}, err
	}
	return parseStat(string(text[:n]))
}

// statSize is more than the bytes of /proc/PID/stat: 52 numbers and a name of at most 64 bytes.
const statSize = 1280

// readStat reads a file that the kernel passes whole to one call of read. A launcher reads one of each process on the host, so the three
// system calls are made without the others of package os.
func readStat(path string, text []byte) (int, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	return unix.Read(fd, text)
}

// Processes lists the processes of this host, zombies included. Processes that end meanwhile
// are left out.
func (fs ProcFS) Processes() ([]Info, error) {
	pids, err := fs.numbers()
	if err != nil {
		return nil, err
	}
	var all []Info
	for _, pid := range pids {
		if p, err := fs.stat(pid); err == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// numbers lists the ids of the processes of this host.
func (fs ProcFS) numbers() ([]int, error) {
	dir, err := os.Open(string(fs))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// words reads a file about a process in which every word ends with a zero byte.
func (fs ProcFS) words(pid int, name string) ([]string, error) {
	text, err := os.ReadFile(fs.file(pid, name))
	if err != nil {
		return nil, err
	}
	return strings.Split(string(text), "\x00"), nil
}

// statusOfZombie returns how a process has ended that its parent has not waited for yet. known
// is false if the process still runs, if its parent has waited for it, or if /proc shows 0,
// which may also mean that the status is hidden.
func (fs ProcFS) statusOfZombie(id Identity) (s exit.Status, known bool) {
	p, err := fs.stat(id.PID)
	if err != nil || p.Identity != id || p.waitStatus == 0 {
		return exit.Status{}, false
	}
	return exit.StatusOf(p.waitStatus), true
}

// hasVariable reports whether the initial environment of a process has the entry mark. It is false
// for processes of other users, whose environments are hidden.
func (fs ProcFS) hasVariable(pid int, mark string) bool {
	environ, err := os.ReadFile(fs.file(pid, "environ"))
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == mark {
			return true
		}
	}
	return false
}

// hasMPIParameter reports whether the command line of a process gives value to a parameter of Open
// MPI: `-mca NAME VALUE`, with `--prtemca` from Open MPI 5 on. mpirun passes all its
// parameters to its daemons in this way. configured is false for processes of other users.
func (fs ProcFS) hasMPIParameter(pid int, value string) bool {
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

// signalTargets returns the processes that are to get a signal for a process which a launcher has
// started: that process itself, or, if it is a shell, the commands that it waits for.
func (fs ProcFS) signalTargets(leader Identity) []Identity {
	shell, err := os.Readlink("/bin/sh")
	if err != nil {
		shell = "sh"
	}
	name, err := os.ReadFile(fs.file(leader.PID, "comm"))
	if err != nil {
		return nil
	}
	if comm := strings.TrimSpace(string(name)); comm != "sh" && comm != filepath.Base(shell) {
		return []Identity{leader}
	}
	all, err := fs.Processes()
	if err != nil {
		return []Identity{leader}
	}
	var targets []Identity
	for _, p := range all {
		if p.Parent == leader.PID && !p.Zombie {
			targets = append(targets, p.Identity)
		}
	}
	// If the leader still exists, all of these are its children.
	if targets == nil || !fs.exists(leader) {
		return []Identity{leader}
	}
	return targets
}
