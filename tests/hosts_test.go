package tests

import (
	"strconv"
	"strings"
	"testing"
)

// TestHosts checks that the hosts of the tests are different hosts to their processes.
func TestHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	hosts := sandbox.Hosts(3)
	out := sandbox.Must("acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 1, 2), "-tag-output", "/bin/sh", "-c",
		"echo $(hostname) $(readlink /proc/self/ns/net) $(ls /dev/shm | wc -l)")
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		fields := strings.Fields(line)
		rank, err := strconv.Atoi(strings.Trim(fields[0], "[]"))
		if err != nil || len(fields) < 3 {
			t.Fatalf("unexpected line %q", line)
		}
		if fields[1] != hosts[rank].Name {
			t.Errorf("rank %d is on %s, expected %s", rank, fields[1], hosts[rank].Name)
		}
		seen[fields[2]] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d networks, expected 3:\n%s", len(seen), out)
	}
}
