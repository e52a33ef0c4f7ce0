//go:build cgo

package libacp

import (
	"strings"
	"syscall"
	"testing"
)

// endings are the ways in which testdata/endings.c ends the last rank.
var endings = []struct {
	how    string
	status int
	line   []string // what the one line on standard error has; none: there is none
}{
	{how: "abort", status: abortStatus, line: []string{"acp: abort by rank %r: no more room: cannot allocate memory"}},
	{how: "abort-null", status: abortStatus, line: []string{"acp: abort by rank %r"}},
	{how: "abort-early", status: abortStatus, line: []string{"acp: abort by process ", ": too early: invalid argument"}},
	{how: "abort-coupling", status: abortStatus, line: []string{"acp: abort by rank %r: in port: ", "handle, or not any more\n"}},
	{how: "abort-reason", status: abortStatus, line: []string{"acp: abort by rank %r: name: no job 77 in a run of ", "1\n"}},
	{how: "copy-beyond", status: abortStatus, line: []string{"acp_copy(", "size=8", "by rank %r", "bad global address"}},
	{how: "copy-huge", status: abortStatus, line: []string{"acp_copy(", "size=18446744073709551615", "by rank %r", "bad global address"}},
	{how: "copy-unknown", status: abortStatus, line: []string{"acp_copy(", "size=8", "by rank %r", "bad global address"}},
	{how: "add8-unknown", status: abortStatus, line: []string{"acp_add8(", "by rank %r", "bad global address"}},
	{how: "unregistered", status: abortStatus, line: []string{"acp_copy(", "size=8", "by rank %r", "bad global address"}},
	{how: "segv", status: -int(syscall.SIGSEGV)},
	{how: "int", status: -int(syscall.SIGINT)},
	{how: "pipe", status: -int(syscall.SIGPIPE)},
	{how: "kill", status: -int(syscall.SIGKILL)},
	{how: "exit", status: 9},
}

// checkLine checks what the ending process left on standard error and output.
func checkLine(t *testing.T, e ended, rank string, status int, line []string) {
	t.Helper()
	if e.status != status || e.stdout != "" {
		t.Errorf("%v, expected status %d", e, status)
	}
	if line == nil {
		if e.stderr != "" {
			t.Errorf("errors %q, expected none", e.stderr)
		}
		return
	}
	for _, part := range line {
		part = strings.ReplaceAll(part, "%r", rank)
		if !strings.Contains(e.stderr, part) {
			t.Errorf("errors %q, expected %q", e.stderr, part)
		}
	}
	if strings.Count(e.stderr, "\n") != 1 {
		t.Errorf("errors %q, expected one line", e.stderr)
	}
}

func TestEndAlone(t *testing.T) {
	path := program(t, "endings")
	for _, test := range endings {
		t.Run(test.how, func(t *testing.T) {
			checkLine(t, alone(t, nil, path, test.how), "0", test.status, test.line)
		})
	}
}

// checkOthers checks that the other ranks have ended and have printed nothing.
func checkOthers(t *testing.T, others []ended) {
	t.Helper()
	for r, e := range others {
		if e != (ended{status: 1}) {
			t.Errorf("rank %d: %v", r, e)
		}
	}
}

// The other ranks, which wait for the last one or use its memory, end with it.
func TestEndTogether(t *testing.T) {
	path := program(t, "endings")
	for _, net := range []string{"shm", "tcp"} {
		for _, test := range endings {
			if test.how == "abort-early" {
				continue
			}
			t.Run(net+"/"+test.how, func(t *testing.T) {
				results := together(t, 3, []string{"ACP_NET=" + net}, path, test.how)
				checkLine(t, results[2], "2", test.status, test.line)
				checkOthers(t, results[:2])
			})
		}
	}
}

func TestEndWhileCopying(t *testing.T) {
	path := program(t, "endings")
	for _, net := range []string{"shm", "tcp"} {
		for _, how := range []string{"abort", "kill", "exit"} {
			t.Run(net+"/"+how, func(t *testing.T) {
				checkOthers(t, together(t, 3, []string{"ACP_NET=" + net}, path, how, "copy")[:2])
			})
		}
	}
}

func TestAbortMessage(t *testing.T) {
	for _, test := range []struct {
		rank   int
		str    string
		number syscall.Errno
		want   string
		reason string
	}{
		{0, "", 0, "acp: abort by rank 0", "acp_abort"},
		{7, "lost the plot", syscall.EFAULT, "acp: abort by rank 7: lost the plot: bad address", "lost the plot: bad address"},
		{-1, "x\r\ny\n\n", 0, "acp: abort by process 42: x y", "x y"},
	} {
		if got, reason := abortMessage(test.rank, 42, test.str, test.number); got != test.want || reason != test.reason {
			t.Errorf("%q and %q, expected %q and %q", got, reason, test.want, test.reason)
		}
	}
}
