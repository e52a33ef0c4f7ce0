package tests

import (
	"fmt"
	"regexp"
	"testing"
)

// opensRun returns an inputfile in which ocean opens a link to another model in one way, and atmosphere the link from ocean in another.
func opensRun(t *testing.T, to, one, other, seconds string) string {
	program := suite.C(t, "opens")
	return jobs(job{"acprun", 1, fmt.Sprintf("%s ocean to %s %s %s report", program, to, one, seconds)},
		job{"acprun", 2, fmt.Sprintf("%s atmosphere from ocean.f %s %s report", program, other, seconds)})
}

// TestOpeningIsStuck: while ranks open links that are never opened, since one of them misspells a model, acpstat and
// the launcher print for each rank the place and the link of its wait, for each way to open the link. The launcher
// names the model that does not exist.
func TestOpeningIsStuck(t *testing.T) {
	for _, ways := range [][2]string{{"one", "begin"}, {"begin", "one"}, {"links", "begin"}} {
		t.Run(ways[0], func(t *testing.T) {
			argv := []string{"macprun", "-stall", "1"}
			if ways[0] == "links" {
				argv = append(argv, "-couple", "ocean.f:atmosfere.f")
			}
			s := startStuck(t, suite.Sandbox(t), 3, opensRun(t, "atmosfere.f", ways[0], ways[1], "-1"), argv...)
			function := map[string]string{"one": "acp_open_link_%s", "begin": "acp_complete_links", "links": "acp_open_links"}
			in := func(way, direction, title string) string {
				call := function[way]
				if way == "one" {
					call = fmt.Sprintf(call, direction)
				}
				return "in " + call + ` \(opens\.c:\d+\) since \S+ s: not all ranks have opened the link of ` + title
			}
			ocean, air := in(ways[0], "to", `ocean\.f to atmosfere\.f`), in(ways[1], "from", `atmosphere\.f from ocean\.f`)
			s.becomes(t, "waits "+ocean, "waits "+air, "waits "+air)
			line := regexp.MustCompile(`(?m)^macprun: all ranks have been waiting for 1\.0 s: rank 0 waits ` + ocean + "; ranks 1-2 wait " + air +
				"; no rank opens a link of model atmosfere$")
			s.run.Errors(func(text string) bool { return line.MatchString(text) })
		})
	}
}

// TestOpeningIsLate: the messages of ranks whose time limit has passed name the model that does not exist, or the missing ranks. No
// message gives advice about an order, or has the text of a context's error.
func TestOpeningIsLate(t *testing.T) {
	t.Parallel()
	for _, ways := range [][2]string{{"one", "begin"}, {"begin", "one"}} {
		t.Run(ways[0], func(t *testing.T) {
			out := suite.Sandbox(t).MustRead(opensRun(t, "atmosfere.f", ways[0], ways[1], "3"), "macprun")
			const absent = `no rank has declared model atmosfere; models: atmosphere, ocean; did you mean atmosphere\?`
			air := `link ocean\.f>atmosphere\.f: not opened after \S+ s: rank 0 has not opened it; ` +
				`model ocean waits for the other side of link ocean\.f>atmosfere\.f meanwhile, and ` + absent
			lines(t, out, `rank 0 pid \d+`, `rank 1 pid \d+`, `rank 2 pid \d+`,
				`rank 0: link ocean\.f>atmosfere\.f: not opened after \S+ s: `+absent, "rank 1: "+air, "rank 2: "+air)
		})
	}
	t.Run("one job", func(t *testing.T) {
		out := suite.Sandbox(t).Must("acprun", "-np", "1", suite.C(t, "opens"), "ocean", "to", "air.f", "one", "0.1", "report")
		lines(t, out, `rank 0 pid \d+`, `rank 0: link ocean\.f>air\.f: not opened after \S+ s: no rank has declared model air; models: ocean; the run has one job`)
	})
}
