package tests

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSlowerModel: of two coupled models, -stats names the slower model, and the link and the line at which the
// ranks of the other model wait. The page of -trace has the same, also for ranks on another host.
func TestSlowerModel(t *testing.T) {
	program := suite.C(t, "balance")
	input := jobs(job{"acprun", 2, program + " 0 #name=ocean"}, job{"acprun", 2, program + " 40 #name=ice"})
	for _, hosts := range []int{1, 2} {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		nodes := sandbox.Nodefile(0, 0, hosts-1, hosts-1)
		file := filepath.Join(t.TempDir(), "run.html")
		r := sandbox.Run(input, "macprun", "-stats", "-trace", file, "-nodefile", nodes)
		for _, want := range []string{
			`ocean waited \d+ % of its time for links, ice [<0-9.]+ %: ice is the slower model\n`,
			`ocean  link with ice\.out +\d+ % +\d+ %, rank [01] +\d+ +\S+ m?s +balance\.c:\d+ \(acp_receive_link\)\n`,
			`ocean  ocean\.out>ice\.in +40 `,
			`ice    ice\.out>ocean\.in +40 `,
			`ice    all +\S+ m?s +\S+ m?s +\S+ % +\S+ %, rank [23]\n`,
			`ocean  all +\S+ m?s +\S+ m?s +\d+ % +\d+ %, rank [01]\n`,
			`ocean  ice\.out>ocean\.in +\S+ m?s +\d+ % *\n`,
			`ice computes \S+ m?s, ocean computes \S+ m?s, on all of its ranks; if the models scale well, 3 ranks for ice and 1 rank for ocean balance them\n`,
		} {
			if !regexp.MustCompile(want).MatchString(r.Stderr) {
				t.Errorf("%d hosts: no line %s in %v", hosts, want, r)
			}
		}
		run := readPage(t, file)
		for rank := range 2 {
			c := run.Ranks[rank].Counted
			if c == nil || c.Timeline == nil || c.Objects != nil {
				t.Fatalf("rank %d: %+v", rank, c)
			}
			found := false
			for _, p := range c.CallSites {
				found = found || p.About == "ice.out" && strings.HasPrefix(p.At, "balance.c:") && p.Call == "acp_receive_link"
			}
			if !found {
				t.Errorf("rank %d of %d hosts waited at %+v", rank, hosts, c.CallSites)
			}
		}
	}
}
