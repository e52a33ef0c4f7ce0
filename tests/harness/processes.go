package harness

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Process is a process as /proc shows it. Its number and start time together are
// never given to another one.
type Process struct {
	PID   int
	start uint64 // clock ticks since boot
}

// stat is the part of /proc/PID/stat that matters here.
type stat struct {
	state  byte
	parent int
	cpu    time.Duration // user and system
	start  uint64
}

// clockTick is the unit of times in /proc, which Linux fixes at 100 Hz for
// programs.
const clockTick = 10 * time.Millisecond

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
		cpu:    time.Duration(number(11)+number(12)) * clockTick,
		start:  number(19),
	}, nil
}

// alive reports whether p still runs; a zombie does not.
func (p Process) alive() bool {
	s, err := readStat(p.PID)
	return err == nil && s.start == p.start && s.state != 'Z' && s.state != 'X'
}

// CPU returns the processor time that p has used, zero if it has ended.
func (p Process) CPU() time.Duration {
	s, err := readStat(p.PID)
	if err != nil || s.start != p.start {
		return 0
	}
	return s.cpu
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

// find returns the living processes that have mark in their environment or descend
// from one of roots.
func find(mark string, roots []int) []Process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	stats := map[int]stat{}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil && s.state != 'Z' && s.state != 'X' {
			stats[pid] = s
		}
	}
	descends := func(pid int) bool {
		for range len(stats) {
			if slices.Contains(roots, pid) {
				return true
			}
			pid = stats[pid].parent
		}
		return false
	}
	var found []Process
	for pid, s := range stats {
		if descends(pid) || marked(pid, mark) {
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
