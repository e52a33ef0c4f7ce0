package rendezvous

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/goacp/goacp/bridge"
)

// membersOn makes the members of jobs, one host number for each process.
func membersOn(t *testing.T, mode bridge.Mode, jobs ...[]int) *bridge.Members {
	t.Helper()
	var blobs [][]byte
	for j, hosts := range jobs {
		for rank, host := range hosts {
			c := bridge.Contact{Member: uint32(len(blobs)), Job: uint32(j), JobRank: uint32(rank), PID: 1, Mode: mode,
				Host: bridge.HostID{byte(host), byte(host >> 8)}, HostName: fmt.Sprintf("pc%02d", host),
				Agent: []netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:1")}}
			blobs = append(blobs, c.Append(nil))
		}
	}
	members, err := bridge.NewMembers(blobs)
	if err != nil {
		t.Fatal(err)
	}
	return members
}

func TestRoutesAreDescribed(t *testing.T) {
	lines := strings.Join(describeRoutes(membersOn(t, bridge.ModeAuto, []int{1}, []int{1, 1}, []int{2, 3})), "\n")
	for _, want := range []string{
		"jobs 0 and 1: 2 pairs of ranks: shm\n",
		"job 1: 1 pair of ranks: shm\n",
		"jobs 1 and 2: 2 pairs of ranks: tcp (not shm: the ranks are on different hosts, pc01 (",
		"job 2: 1 pair of ranks: tcp (not shm: ",
	} {
		if !strings.Contains(lines+"\n", want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	if strings.Contains(lines, "job 0:") {
		t.Errorf("a job of one process has no pairs:\n%s", lines)
	}
	lines = strings.Join(describeRoutes(membersOn(t, bridge.ModeSHM, []int{1}, []int{2})), "\n")
	if !strings.HasPrefix(lines, "jobs 0 and 1: 1 pair of ranks: none (not shm: ") {
		t.Errorf("no route, but %q", lines)
	}
}

func TestRoutesOfManyHostsAreShort(t *testing.T) {
	var many []int
	for i := range 600 {
		many = append(many, i/2)
	}
	lines := describeRoutes(membersOn(t, bridge.ModeAuto, many, many))
	if len(lines) != 6 {
		t.Fatalf("%d lines; expected shm and tcp for each pair of jobs\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if !strings.Contains(line, "some pairs of ranks: shm") && !strings.Contains(line, "some pairs of ranks: tcp (for example, not shm: ") {
			t.Error(line)
		}
	}
}

func TestUniversesAreDescribed(t *testing.T) {
	if lines := describeUniverses(membersOn(t, bridge.ModeAuto, []int{1}, []int{2})); lines != nil {
		t.Errorf("no pair needs a universe, but %q", lines)
	}
}
