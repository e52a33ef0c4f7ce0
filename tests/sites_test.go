package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// linesOf returns the lines of a program in C or Fortran whose comment names a rank.
func linesOf(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := regexp.MustCompile(`(?:/\*|!) rank (\d)(?: \*/)?$`).FindStringSubmatch(line); m != nil {
			lines[m[1]] = i + 1
		}
	}
	return lines
}

// TestStatOfSites: acpstat prints the places where programs in C wait, as table and as JSON: by the line, or by
// the function if they were compiled without -g.
func TestStatOfSites(t *testing.T) {
	source := suite.Source("tests", "programs", "sites.c")
	lines := linesOf(t, source)
	for name, c := range map[string]struct {
		flags []string
		link  string
		lines bool
	}{
		"pie":              {[]string{"-g", "-fPIE", "-pie"}, "static", true},
		"no pie":           {[]string{"-g", "-fno-pie", "-no-pie"}, "static", true},
		"without -g":       {[]string{"-fPIE", "-pie"}, "static", false},
		"shared libraries": {[]string{"-g"}, "shared", true},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "sites")
			compile := exec.Command(suite.Bin(t, "acpcc"), slices.Concat([]string{"-O2", "-Wall", "-Wextra", "-Werror"}, c.flags, []string{"-o", program, source, "-larmci"})...)
			compile.Env = append(os.Environ(), "ACP_LINK="+c.link)
			if out, err := compile.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			s := startStuck(t, suite.Sandbox(t), 6, "", "acprun", "-net", "tcp", "-np", "6", program)
			at := func(rank int, function string) string {
				if c.lines {
					return fmt.Sprintf(`sites\.c:%d`, lines[strconv.Itoa(rank)])
				}
				return function + `\+0x[0-9a-f]+`
			}
			in := func(call string, rank int, function, why string) string {
				return "waits in " + call + ` \(` + at(rank, function) + `\)` + since + ": " + why
			}
			r := s.becomes(t,
				in("acp_sync", 0, "in_sync", "ranks 1-5 have not come"),
				in("acp_wait_ch", 1, "in_channel", "a message from rank 3"),
				in("acp_receive_link", 2, "in_link", "the other end of the link with air.sst, at rank 3"),
				"is stopped",
				in("acp_complete", 4, "in_complete", ".*rank 3"),
				in("ARMCI_Lock", 5, "in_lock", "a mutex.*"))
			if w := r.Ranks[0].Seen.Waits[0]; !regexp.MustCompile("^" + at(0, "in_sync") + "$").MatchString(w.At) {
				t.Errorf("JSON has %q", w.At)
			}
			table := regexp.MustCompile(`(?m)^0 .*waits in acp_sync \(` + at(0, "in_sync") + `\) since`)
			if text := s.sandbox.Must("acpstat", s.name); !table.MatchString(text) {
				t.Errorf("%v is not in\n%s", table, text)
			}
		})
	}
}
