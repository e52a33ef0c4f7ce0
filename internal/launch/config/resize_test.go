package config

import (
	"slices"
	"strings"
	"testing"
)

// TestResizeOptions: options that have no effect on a command which resizes a run are errors.
func TestResizeOptions(t *testing.T) {
	const chosen = "has no effect on a run that computes already; leave it out, or give it when the run starts"
	adds := func(option string) string {
		return "is for processes that " + option + " adds to a run, and this command adds none"
	}
	for _, c := range []struct {
		program    Program
		args, want string // want "": no error
	}{
		{Acprun, "-to 12 -np +2 -net tcp", "option -net: " + chosen},
		{Acprun, "-to 12 -np +2 --acp-stats", "option --acp-stats: " + chosen},
		{Macprun, "-to 12 -leave 3 -timeout 5", "option -timeout: " + chosen},
		{Dmimw, "-to 12 -n 2 -net tcp", "option -net: " + chosen},
		{Dmimw, "-to 12 -nodes -join network", "option -join: " + chosen},
		{Acprun, "-to 12 -leave 3 -smemsize-dl 1g", "option -smemsize-dl: " + adds("-np +N")},
		{Macprun, "-to 12 -leave 3 --acp-node=a,b", "option --acp-node: " + adds("-np +N")},
		{Dmimw, "-to 12 -leave 3 -pool 1g", "option -pool: " + adds("-n")},
		{Dmimw, "-to 12 -nodes -f hosts", "option -f: " + adds("-n")},
		{Acprun, "-to 12 -leave 3 -np +2 -smemsize-dl 1g -host a,b -job air -verbose -debug -rsh x -debug-layers all -debug-file y", ""},
		{Dmimw, "-to 12 -n 2 -leave 3 -pool 1g -f hosts -verbose", ""},
	} {
		_, err := ParseOptions(c.program, strings.Fields(c.args))
		if got := errorText(err); got != c.want {
			t.Errorf("%v %s: %q, expected %q", c.program, c.args, got, c.want)
		}
	}
}

// errorText returns the text of an error, "" without one.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestParseRanks(t *testing.T) {
	for text, want := range map[string][]int{"3": {3}, "5-7,3": {3, 5, 6, 7}, "1,1-2": {1, 2}, "0": {0}} {
		if got, err := parseRanks(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, expected %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a", "-1", "3-1", "1,,2", "1-", "1048576", "2-1048576"} {
		if got, err := parseRanks(text); err == nil {
			t.Errorf("%q is taken for the ranks %v", text, got)
		}
	}
}
