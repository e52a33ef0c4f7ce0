package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
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
	const perMember, members = 24, 1000
	if n := unsafe.Sizeof(row{}); n > perMember {
		t.Errorf("%d bytes per member, at most %d are allowed", n, perMember)
	}
	all := table([]int{members}, bytes.Repeat([]byte("a"), members))
	addresses := 0
	for i := range all {
		addresses += len(all[i].Agent)
	}
	m, err := NewMembers(encoded(all))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.hosts) != 1 || cap(m.rows) != members || cap(m.ports) != addresses {
		t.Errorf("%d hosts, room for %d rows and %d ports of which %d are used", len(m.hosts), cap(m.rows), cap(m.ports), addresses)
	}
	if len(m.kinds) != 3 || len(m.addrs) != 3 {
		t.Errorf("%d kinds and %d lists of addresses of members with 0, 1 or 2 addresses", len(m.kinds), len(m.addrs))
	}
}

// TestKinds: members of one kind have the same routes to all other members, for the same reasons. A table of
// random members returns the contacts from which it was made.
func TestKinds(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		sizes := make([]int, 1+r.IntN(3))
		total := 0
		for job := range sizes {
			sizes[job] = 1 + r.IntN(5)
			total += sizes[job]
		}
		hosts := make([]byte, total)
		for m := range hosts {
			hosts[m] = 'a' + byte(r.IntN(3))
		}
		all := table(sizes, hosts)
		for i := range all {
			all[i].Mode, all[i].MPI = Mode(r.IntN(int(RouteEnd))), []string{"", "Open MPI 4.1.4", "MPICH 4.0.2"}[r.IntN(3)]
			all[i].RDMA, all[i].HeapSize = []RDMA{RDMAAbsent, RDMAFound}[r.IntN(2)], uint64(r.IntN(3))
			all[i].StartTime, all[i].MemFD = r.Uint64(), r.Uint32()
			for k := range all[i].Agent {
				all[i].Agent[k] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, hosts[i], byte(r.IntN(2))}), uint16(1+r.IntN(3)))
			}
		}
		m, err := NewMembers(encoded(all))
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if got := m.At(i); len(got.Agent)+len(all[i].Agent) > 0 && !reflect.DeepEqual(got, all[i]) {
				t.Fatalf("seed %d: member %d: %+v, expected %+v", seed, i, got, all[i])
			}
			for j := range i {
				for third := range all {
					if m.Kind(i) == m.Kind(j) && third != i && third != j {
						equalRoutes(t, m, third, i, j)
					}
				}
			}
		}
	}
}

// equalRoutes checks that a member has the same route to two others.
func equalRoutes(t *testing.T, m *Members, from, i, j int) {
	t.Helper()
	a, refusedA, errA := m.Route(from, i)
	b, refusedB, errB := m.Route(from, j)
	if a != b || (errA == nil) != (errB == nil) || errA == nil && !reflect.DeepEqual(refusedA, refusedB) && (from < i) == (from < j) {
		t.Errorf("from %d: to %d by %v (%v, %v), to %d by %v (%v, %v)", from, i, a, refusedA, errA, j, b, refusedB, errB)
	}
}
