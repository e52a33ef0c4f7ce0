package explain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// terminal opens a new pseudo terminal.
func terminal(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestLine: messages with an entry in the page get its heading, on a terminal alone.
func TestLine(t *testing.T) {
	tty := terminal(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for message, heading := range map[string]string{
		"rank 0: cannot start ./absent: no such file or directory":                            "Starting a run",
		"jobs.yaml:3: unknown key nq in job 0; expected one of command, np":                   "Starting a run",
		"rank 2 (job 0 crash, host pc01, pid 30124) killed by signal 11 (Segmentation fault)": "The end of a run",
		"rank 1 (job 0 a, host b, pid 3) ended with status 3":                                 "The end of a run",
		"time limit of 1s reached, ending the run":                                            "The end of a run",
		"host pc02 is lost: ssh ended with status 255":                                        "The end of a run",
		"option -to 12: 12 is not a run; expected the process id of its launcher, or auto":    "Networks and hosts",
		"option -nq: unknown option":                                                          "",
		"":                                                                                    "",
	} {
		want := message
		if heading != "" {
			want += "; see man acp-messages, " + heading
		}
		if got := Line(message, tty); got != want {
			t.Errorf("on a terminal: %q, expected %q", got, want)
		}
		if got := Line(message, file); got != message {
			t.Errorf("in a file: %q, expected %q", got, message)
		}
	}
}

// TestEntries: each entry has a heading, and a message of its words alone is the one that it explains.
func TestEntries(t *testing.T) {
	list := entries()
	if len(list) < 30 {
		t.Errorf("%d entries", len(list))
	}
	for _, e := range list {
		if e.heading == "" || len(e.words) == 0 {
			t.Errorf("entry %+v has no heading, or no words", e)
		}
		if message := strings.Join(e.words, " x "); !e.isIn(message) || e.isIn(strings.Repeat("x", len(message))) {
			t.Errorf("entry %+v: does not find %q alone", e, message)
		}
	}
}
