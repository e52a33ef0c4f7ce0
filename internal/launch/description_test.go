package launch

import (
	"strings"
	"testing"
)

// TestIncompleteShellSyntax expects the file, the line and the job of a text that is no valid shell command.
// No part of the run is started.
func TestIncompleteShellSyntax(t *testing.T) {
	s := newSandbox(t)
	for _, test := range []struct{ name, text, want string }{
		{"quote in a command", "1\nacprun\n1\nsh -c 'touch started\n", `macprun: in:4: command of job 0: /bin/sh does not understand "sh -c 'touch started": `},
		{"quote in a runtime line", "2\nacprun\nmpirun -x \"A\n1\n1\ntouch started\ntrue\n", `macprun: in:3: runtime line of job 1: /bin/sh does not understand "mpirun -x \"A": `},
		{"quotes that close each other", "1\nacprun -rsh 'a\n1\ntouch started'\n", "macprun: in:2: runtime line of job 0: "},
		{"parenthesis", "1\nacprun\n1\n(touch started\n", "macprun: in:4: command of job 0: "},
	} {
		s.file("in", test.text)
		status, _, stderr := s.run("", "macprun", "in")
		if status != 2 || !strings.HasPrefix(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %q; expected 2 and one line that begins with %q", test.name, status, stderr, test.want)
		}
	}
	s.file("in.yaml", "jobs:\n  - launcher: acprun\n    np: 1\n    command: echo \"$(echo \"'\")\n")
	if status, _, stderr := s.run("", "macprun", "in.yaml"); status != 2 || !strings.HasPrefix(stderr, "macprun: in.yaml:4: command of job 0: ") {
		t.Errorf("YAML: status %d, %q", status, stderr)
	}
	s.file("in", "1\nacprun\n1\necho \"$(echo \"'\")\"\n")
	if status, stdout, stderr := s.run("", "macprun", "in"); status != 0 || stdout != "'\n" {
		t.Errorf("a quote inside of quotes: status %d, %q, %q", status, stdout, stderr)
	}
}

// TestLauncherStartsNothing gives macprun programs that are no launchers and end with status 0.
func TestLauncherStartsNothing(t *testing.T) {
	const want = "job 0 member: /bin/true ended with status 0, and none of its 2 processes has called acp_init; macprun does not know this launcher"
	s := newSandbox(t)
	for _, text := range []string{
		"1\n/bin/true\n2\n./member join leave\n",
		"2\n/bin/true\nacprun\n2\n1\n./member join leave # name=member\n./member join wait # name=other\n",
	} {
		s.file("in", text)
		status, _, stderr := s.run("", "macprun", "in")
		if status != 1 || strings.Count(stderr, "\n") != 2 || !strings.HasPrefix(stderr, "macprun: warning: ") || !strings.HasSuffix(stderr, "\nmacprun: "+want+"\n") {
			t.Errorf("status %d, %q; expected 1, a warning and %q", status, stderr, want)
		}
	}
}

// TestMoreThanTheCount gives macprun inputfiles with more jobs than their count. It runs as many jobs as the
// count, and warns of the rest.
func TestMoreThanTheCount(t *testing.T) {
	s := newSandbox(t)
	for _, test := range []struct{ name, text, want string }{
		{"commands", "# jobs\n1\nacprun\n1\necho a\n\necho b\necho c\n", "macprun: warning: in:7: \"echo b\" and what follows is ignored: the number of jobs in line 2 is 1, and the last command is in line 5\n"},
		{"jobs", "1\nacprun\n1\necho a\nacprun\n1\necho b\n", "macprun: warning: in:5: \"acprun\" and what follows is ignored: the number of jobs in line 1 is 1, and the last command is in line 4\n"},
		{"comments", "1\nacprun\n1\necho a\n\n# echo b\n", ""},
	} {
		s.file("in", test.text)
		if status, stdout, stderr := s.run("", "macprun", "in"); status != 0 || stdout != "a\n" || stderr != test.want {
			t.Errorf("%s: status %d, %q, %q; expected 0, a and %q", test.name, status, stdout, stderr, test.want)
		}
	}
}
