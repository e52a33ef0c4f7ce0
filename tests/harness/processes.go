package harness

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Process is a process from /proc. No other process ever has the same number and start time.
type Process struct {
	PID   int
	start uint64 // clock ticks since boot
}

// stat is the part of /proc/PID/stat that matters here.
type stat struct {
	state  byte
	parent int
	start  uint64
}

func readStat(pid int) (stat, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The name in parentheses may itself contain blanks and parentheses.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("/proc/%d/stat: %d fields", pid, len(fields))
	}
	number := func(i int) uint64 { n, _ := strconv.ParseUint(fields[i], 10, 64); return n }
	return stat{
		state:  fields[0][0],
		parent: int(number(1)),
		start:  number(19),
	}, nil
}

// alive reports whether p still runs; a zombie does not.
func (p Process) alive() bool {
	s, err := readStat(p.PID)
	return err == nil && s.start == p.start && s.state != 'Z' && s.state != 'X'
}

// String names the process for a message.
func (p Process) String() string {
	cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
	return fmt.Sprintf("%d (%s)", p.PID, strings.TrimSpace(string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '}))))
}

// Executable returns the path of the program that p runs, "" if that is unknown.
func (p Process) Executable() string {
	path, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
	return path
}

// network returns the network namespace that p is in, "" if it has ended.
func (p Process) network() string {
	ns, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", p.PID))
	return ns
}

// Environ returns the value of a variable in the environment that p was started
// with, "" if it is not there.
func (p Process) Environ(name string) string {
	environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
	for _, entry := range strings.Split(string(environ), "\x00") {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// find returns the living processes that have mark in their environment, and the descendants of
// these and of roots.
func find(mark string, roots []int) []Process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	stats := map[int]stat{}
	ours := map[int]bool{}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil && s.state != 'Z' && s.state != 'X' {
			stats[pid] = s
			ours[pid] = slices.Contains(roots, pid) || marked(pid, mark)
		}
	}
	descends := func(pid int) bool {
		for range len(stats) {
			if ours[pid] {
				return true
			}
			pid = stats[pid].parent
		}
		return false
	}
	var found []Process
	for pid, s := range stats {
		if descends(pid) {
			found = append(found, Process{PID: pid, start: s.start})
		}
	}
	slices.SortFunc(found, func(a, b Process) int { return a.PID - b.PID })
	return found
}

func marked(pid int, mark string) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+mark+"\x00"))
}

// Name returns the last part of the first word of the command line of p.
func (p Process) Name() string {
	cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
	word, _, _ := bytes.Cut(cmdline, []byte{0})
	return filepath.Base(string(word))
}
