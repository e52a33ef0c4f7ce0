package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is the kernel's information about the activity of a process.
type Usage struct {
	Stopped bool // by a signal or a debugger
	Active  int  // threads that run, wait for a processor, or are at work in the kernel
	Memory  uint64
	CPU     time.Duration // of all threads so far
	OwnPID  int           // the number that the process itself sees
}

// clockTick is the unit of times in /proc: USER_HZ, which is 100 on all systems that Go knows.
const clockTick = 10 * time.Millisecond

// The indices among the fields of /proc/PID/stat behind the program name.
const (
	stateField  = 0
	userField   = 11
	systemField = 12
	memoryField = 21
)

// Usage returns what the process that has the number pid does now. It does not stop the process.
func (fs ProcFS) Usage(pid int) (u Usage, err error) {
	fields, err := fs.statFields(fs.file(pid, "stat"))
	if err != nil {
		return Usage{}, err
	}
	var numbers [3]uint64
	for i, field := range []int{userField, systemField, memoryField} {
		if numbers[i], err = strconv.ParseUint(fields[field], 10, 64); err != nil {
			return Usage{}, fmt.Errorf("process %d: %w", pid, err)
		}
	}
	u.Stopped = strings.Contains("Tt", fields[stateField])
	u.CPU = time.Duration(numbers[0]+numbers[1]) * clockTick
	u.Memory = numbers[2] * uint64(os.Getpagesize())
	u.OwnPID = fs.ownPID(pid)
	tasks, err := os.ReadDir(fs.file(pid, "task"))
	for _, task := range tasks {
		// A thread may have ended meanwhile.
		thread, err := fs.statFields(fs.file(pid, "task/"+task.Name()+"/stat"))
		if err == nil && strings.Contains("RD", thread[stateField]) {
			u.Active++
		}
	}
	return u, err
}

// statFields returns the fields of a stat file behind the program name.
func (fs ProcFS) statFields(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) <= memoryField {
		return nil, fmt.Errorf("%s: %d fields after the program name", path, len(fields))
	}
	return fields, nil
}

// ownPID returns the number that a process has in its own namespace, or pid if the kernel does not show it.
func (fs ProcFS) ownPID(pid int) int {
	text, _ := os.ReadFile(fs.file(pid, "status"))
	_, rest, _ := strings.Cut(string(text), "\nNSpid:")
	line, _, _ := strings.Cut(rest, "\n")
	numbers := strings.Fields(line)
	if len(numbers) == 0 {
		return pid
	}
	own, err := strconv.Atoi(numbers[len(numbers)-1])
	if err != nil {
		return pid
	}
	return own
}
