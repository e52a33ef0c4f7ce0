//go:build cgo

package main

import (
	"strings"
	"testing"
)

// mistakes are what testdata/onerror.c knows, and what the line about each has.
var mistakes = []struct {
	which string
	line  []string
}{
	{"copy-rank", []string{"copy of 8 bytes", "by rank 0", "source 0x", "there is no rank %n, the run has %n"}},
	{"copy-null", []string{"copy of 8 bytes", "by rank 0", "destination 0x0: null"}},
	{"add8", []string{"add8 of 8 bytes", "by rank 0", "misaligned address"}},
	{"malloc", []string{"malloc of 100 bytes", "by rank 0", "on rank %n", "no such rank"}},
	{"free", []string{"free at 0x", "by rank 0"}},
	{"unregister", []string{"unregister by rank 0"}},
	{"channel", []string{"channel from rank 0 to rank 0 by rank 0"}},
	{"vector", []string{"create vector of 100 bytes", "by rank 0", "no such rank"}},
	{"push", []string{"by rank 0"}},
	{"list", []string{"create list by rank 0", "on rank %n", "no such rank"}},
	{"destroy", []string{"acp_destroy_ws by rank 0"}},
	{"starter", []string{"query starter ga by rank 0", "no such rank"}},
}

// TestOnError makes mistakes with every value of ACP_ON_ERROR.
func TestOnError(t *testing.T) {
	path := program(t, "onerror")
	for _, m := range mistakes {
		for _, on := range []string{"", "return", "report", "abort"} {
			t.Run(m.which+"/"+on, func(t *testing.T) {
				r := alone(t, []string{"ACP_ON_ERROR=" + on}, path, m.which)
				status, lines := 0, 0
				if on == "abort" {
					status = abortStatus
				}
				if on == "report" || on == "abort" {
					lines = 1
					for _, part := range m.line {
						if part = strings.ReplaceAll(part, "%n", "1"); !strings.Contains(r.stderr, part) {
							t.Errorf("errors %q, expected %q", r.stderr, part)
						}
					}
				}
				if r.status != status || strings.Count(r.stderr, "\n") != lines {
					t.Errorf("%v, expected status %d and %d lines of errors", r, status, lines)
				}
			})
		}
	}
}

// TestOnErrorOutside calls a function before acp_init.
func TestOnErrorOutside(t *testing.T) {
	path := program(t, "onerror")
	for on, want := range map[string]ended{
		"return": {},
		"report": {stderr: "acp: acp_copy: not initialised, or finalised\nacp: acp_complete: not initialised, or finalised\n"},
		"abort":  {status: abortStatus, stderr: "acp: acp_copy: not initialised, or finalised\n"},
	} {
		if r := alone(t, []string{"ACP_ON_ERROR=" + on}, path, "early"); r != want {
			t.Errorf("%s: %v, expected %v", on, r, want)
		}
	}
}

// TestOnErrorTogether ends a run of several ranks at the first mistake of one.
func TestOnErrorTogether(t *testing.T) {
	path := program(t, "onerror")
	for _, net := range []string{"shm", "tcp"} {
		r := together(t, 3, []string{"ACP_ON_ERROR=abort", "ACP_NET=" + net}, path, "copy-rank")
		checkLine(t, r[0], "0", abortStatus, []string{"copy of 8 bytes", "there is no rank 3, the run has 3"})
		checkOthers(t, r[1:])
		allWell(t, together(t, 3, []string{"ACP_ON_ERROR=report", "ACP_NET=" + net}, path, "copy-rank")[1:], "")
	}
}

// TestOnErrorValue gives a value that is none.
func TestOnErrorValue(t *testing.T) {
	r := alone(t, []string{"ACP_ON_ERROR=stop"}, program(t, "onerror"), "copy-rank")
	if want := `ACP_ON_ERROR: "stop": expected return, report or abort`; r.status == 0 || !strings.Contains(r.stderr, want) {
		t.Errorf("%v, expected %q", r, want)
	}
}
