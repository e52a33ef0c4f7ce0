package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// table makes the contacts of jobs; hosts has the host of each member.
func table(sizes []int, hosts []byte) []Contact {
	var all []Contact
	for job, size := range sizes {
		for jobRank := range size {
			c := testContact()
			c.Member, c.Job, c.JobRank = uint32(len(all)), uint32(job), uint32(jobRank)
			c.Host, c.HostName = HostID{hosts[len(all)]}, fmt.Sprintf("node%c", hosts[len(all)])
			c.PID, c.Mode = 100+c.Member, ModeAuto
			c.Agent = c.Agent[:c.Member%3]
			all = append(all, c)
		}
	}
	return all
}

func encoded(all []Contact) [][]byte {
	blobs := make([][]byte, len(all))
	for i := range all {
		blobs[i] = all[i].Append(nil)
	}
	return blobs
}

func TestMembers(t *testing.T) {
	all := table([]int{1, 2, 3}, []byte("aababb"))
	m, err := NewMembers(encoded(all))
	if err != nil {
		t.Fatal(err)
	}
	if m.Len() != 6 || m.Jobs() != 3 || m.Hosts() != 2 {
		t.Errorf("%d members, %d jobs, %d hosts", m.Len(), m.Jobs(), m.Hosts())
	}
	for i, want := range all {
		got := m.At(i)
		if len(want.Agent) == 0 {
			want.Agent = []netip.AddrPort{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("member %d: %+v, expected %+v", i, got, want)
		}
		if offset, size := m.Starter(i); offset != want.StarterOffset || size != want.StarterSize {
			t.Errorf("member %d: starter memory %d, %d", i, offset, size)
		}
		if offset, size := m.Heap(i); offset != want.HeapOffset || size != want.HeapSize {
			t.Errorf("member %d: heap %d, %d", i, offset, size)
		}
		for j := range all {
			if m.SameHost(i, j) != (want.HostName == all[j].HostName) {
				t.Errorf("same host of %d and %d: %v", i, j, m.SameHost(i, j))
			}
		}
	}
	for j, want := range [][2]int{{0, 1}, {1, 3}, {3, 6}} {
		if first, end := m.JobRange(j); [2]int{first, end} != want {
			t.Errorf("job %d: %d, %d", j, first, end)
		}
	}
}

func TestMembersRoute(t *testing.T) {
	all := table([]int{1, 2, 3}, []byte("aababb"))
	all[4].Mode = ModeTCP
	m, err := NewMembers(encoded(all))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		i, j   int
		route  Route
		shares bool
		failed bool
	}{
		{1, 1, Self, true, false},
		{1, 3, SHM, true, false},
		{2, 5, SHM, true, false},
		{1, 5, TCP, false, false}, // on different hosts
		{2, 4, TCP, false, false}, // on one host, but one asks for tcp
		{0, 2, Self, false, true}, // on different hosts, and rank 0 has no agent
	} {
		for _, p := range [][2]int{{test.i, test.j}, {test.j, test.i}} {
			route, _, err := m.Route(p[0], p[1])
			if route != test.route || (err != nil) != test.failed {
				t.Errorf("route of %d and %d: %v, %v", p[0], p[1], route, err)
			}
			if got := err == nil && route.SharesMemory(); got != test.shares {
				t.Errorf("%d and %d share memory: %v", p[0], p[1], got)
			}
		}
	}
}

func TestMembersMalformed(t *testing.T) {
	for name, spoil := range map[string]func([]Contact){
		"order":        func(all []Contact) { all[1], all[2] = all[2], all[1] },
		"job skipped":  func(all []Contact) { all[2].Job = 2 },
		"job returns":  func(all []Contact) { all[3].Job = 0 },
		"job rank":     func(all []Contact) { all[3].JobRank = 0 },
		"twice":        func(all []Contact) { all[3] = all[2] },
		"no first job": func(all []Contact) { all[0].Job = 1 },
	} {
		all := table([]int{2, 2}, []byte("aaaa"))
		spoil(all)
		if _, err := NewMembers(encoded(all)); !errors.Is(err, ErrContact) || !strings.Contains(err.Error(), "rank ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := NewMembers([][]byte{{1, 2, 3}}); !errors.Is(err, ErrContact) {
		t.Errorf("garbage: %v", err)
	}
}

// A host that has two names is one host to shared memory.
func TestHostWithTwoNames(t *testing.T) {
	all := table([]int{3}, []byte("aaa"))
	all[1].HostName = "another-name-of-it"
	m, err := NewMembers(encoded(all))
	if err != nil {
		t.Fatal(err)
	}
	if !m.SameHost(0, 1) || m.Hosts() != 2 {
		t.Errorf("same: %v, hosts: %d", m.SameHost(0, 1), m.Hosts())
	}
}

// The table is kept for as long as the process lives, once per process, so a
// byte per member counts as much as the number of members squared.
func TestMembersCost(t *testing.T) {
	const perMember = 128
	if n := int(unsafe.Sizeof(row{})) + 2*agentSize; n > perMember {
		t.Errorf("%d bytes per member, at most %d are allowed", n, perMember)
	}
	all := table([]int{1000}, bytes.Repeat([]byte("a"), 1000))
	m, err := NewMembers(encoded(all))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.hosts) != 1 || cap(m.rows) != 1000 || cap(m.agents) > len(m.agents)+len(m.agents)/4 {
		t.Errorf("%d hosts, room for %d rows and %d bytes of addresses of which %d are used",
			len(m.hosts), cap(m.rows), cap(m.agents), len(m.agents))
	}
}
