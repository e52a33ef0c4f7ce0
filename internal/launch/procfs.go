package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// process is what /proc tells about one process.
type process struct {
	pid, parent, session int
	zombie               bool
	start                uint64 // clock ticks after boot; tells processes with the same pid apart
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
	}{{&p.pid, strings.TrimSpace(text[:open])}, {&p.parent, fields[1]}, {&p.session, fields[3]}} {
		n, err := strconv.Atoi(f.text)
		if err != nil {
			return process{}, err
		}
		*f.to = n
	}
	start, err := strconv.ParseUint(fields[19], 10, 64)
	p.start, p.zombie = start, fields[0] == "Z" || fields[0] == "X"
	return p, err
}

// processes lists what runs on this host. Processes that end meanwhile are left
// out.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
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
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if p, err := parseStat(string(text)); err == nil {
			all = append(all, p)
		}
	}
	return all, nil
}

// belongings says which processes belong to a run.
type belongings struct {
	ancestor int          // process whose descendants belong to the run; 0 = none
	sessions map[int]bool // ids of sessions that the run has started
	mark     string       // NAME=VALUE in the environment of the run's processes; "" = none
	spare    map[int]bool // process ids that do not belong to it all the same
}

// members picks the processes of the run from a list of all.
func (b belongings) members(all []process) []process {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	ours := map[int]bool{}
	var adopt func(parent int)
	adopt = func(parent int) {
		for _, p := range children[parent] {
			if !ours[p.pid] && !b.spare[p.pid] {
				ours[p.pid] = true
				adopt(p.pid)
			}
		}
	}
	if b.ancestor != 0 {
		adopt(b.ancestor)
	}
	var result []process
	for _, p := range all {
		if b.spare[p.pid] || p.zombie {
			continue
		}
		if ours[p.pid] || b.sessions[p.session] || (b.mark != "" && marked(p.pid, b.mark)) {
			result = append(result, p)
		}
	}
	return result
}

// marked reports whether the initial environment of a process holds mark. It is
// false for processes of other users, whose environment is hidden.
func marked(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	return bytes.Contains(append([]byte{0}, environ...), append(append([]byte{0}, mark...), 0))
}

// signalAll sends a signal to every process of the run and returns how many
// there were. A process that has ended meanwhile is no error; one that may not
// be signalled belongs to somebody else.
func (b belongings) signalAll(sig unix.Signal) (int, error) {
	all, err := processes()
	if err != nil {
		return 0, err
	}
	members := b.members(all)
	for _, p := range members {
		_ = unix.Kill(p.pid, sig)
	}
	return len(members), nil
}
