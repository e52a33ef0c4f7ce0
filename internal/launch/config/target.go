package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Target names a run to which processes attach.
type Target struct {
	Host string // "": this one
	Run  string // process id of its launcher; "": the only run on the host
	Set  bool   // false: the zero value, which is no target
}

// anyRun is how users name the only run of a host.
const anyRun = "auto"

// ParseTarget parses RUN or HOST:RUN. Pure.
func ParseTarget(text string) (Target, error) {
	t := Target{Run: text, Set: true}
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		t.Host, t.Run = text[:at], text[at+1:]
		if t.Host == "" || strings.HasPrefix(t.Host, "-") {
			return Target{}, fmt.Errorf("%q: expected the name of a host before the colon", text)
		}
	}
	if t.Run == anyRun {
		t.Run = ""
		return t, nil
	}
	if n, err := strconv.Atoi(t.Run); err != nil || n <= 0 || strconv.Itoa(n) != t.Run {
		return Target{}, fmt.Errorf("%q is not a run; expected the process id of its launcher, or %s", t.Run, anyRun)
	}
	return t, nil
}

// String returns the target as users write it.
func (t Target) String() string {
	run := t.Run
	if run == "" {
		run = anyRun
	}
	if t.Host != "" {
		return t.Host + ":" + run
	}
	return run
}
