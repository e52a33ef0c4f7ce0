package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// testContact has a different value in every field.
func testContact() Contact {
	return Contact{
		Member: 1, Job: 2, JobRank: 3, Host: HostID{4, 15: 5}, HostName: "node6", PID: 7, StartTime: 1 << 40,
		MemFD: 8, MemSize: 1 << 50, StarterOffset: 4096, StarterSize: 10240, HeapOffset: 16384, HeapSize: 9,
		Agent: []netip.AddrPort{netip.MustParseAddrPort("10.1.2.3:4"), netip.MustParseAddrPort("[2001:db8::1]:65535")},
		Mode:  ModeTCP, MPI: "Open MPI 4.1.4", RDMA: RDMADenied,
	}
}

func TestContactComesBack(t *testing.T) {
	for _, c := range []Contact{{}, testContact(), {HostName: strings.Repeat("h", maxHost)}} {
		got, err := DecodeContact(c.Append(nil))
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%+v came back as %+v, %v", c, got, err)
		}
	}
}

func TestContactIsCut(t *testing.T) {
	c := Contact{HostName: strings.Repeat("h", maxHost+1), MPI: strings.Repeat("m", maxLibrary+1)}
	for i := range MaxAgents + 1 {
		c.Agent = append(c.Agent, netip.AddrPortFrom(netip.MustParseAddr("::ffff:127.0.0.1"), uint16(i+1)))
	}
	got, err := DecodeContact(c.Append([]byte("before"))[len("before"):])
	if err != nil || len(got.HostName) != maxHost || len(got.MPI) != maxLibrary || len(got.Agent) != MaxAgents {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.Agent[1] != netip.MustParseAddrPort("127.0.0.1:2") {
		t.Errorf("agent %v", got.Agent[1])
	}
}

func TestContactMalformed(t *testing.T) {
	good := testContact()
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":            func(b []byte) []byte { return nil },
		"one byte less":    func(b []byte) []byte { return b[:len(b)-1] },
		"one byte more":    func(b []byte) []byte { return append(b, 0) },
		"version":          func(b []byte) []byte { b[0]++; return b },
		"mode":             func(b []byte) []byte { b[1] = 200; return b },
		"number of agents": func(b []byte) []byte { b[3] = 255; return b },
		"RDMA hardware":    func(b []byte) []byte { b[5] = 200; return b },
		"not zero":         func(b []byte) []byte { b[6] = 1; return b },
		"length of MPI":    func(b []byte) []byte { b[4]++; return b },
		"agent family":     func(b []byte) []byte { b[contactFixed] = 5; return b },
		"agent port":       func(b []byte) []byte { b[contactFixed+2], b[contactFixed+3] = 0, 0; return b },
		"agent IPv4 tail":  func(b []byte) []byte { b[contactFixed+19] = 1; return b },
	} {
		if c, err := DecodeContact(spoil(good.Append(nil))); !errors.Is(err, ErrContact) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	for name, spoil := range map[string]func(*Contact){
		"starter too long":     func(c *Contact) { c.StarterSize = c.MemSize },
		"heap beyond the end":  func(c *Contact) { c.HeapOffset = c.MemSize + 1; c.HeapSize = 0 },
		"heap size overflows":  func(c *Contact) { c.HeapSize = math.MaxUint64 },
		"starter offset to -1": func(c *Contact) { c.StarterOffset = math.MaxUint64 },
	} {
		c := testContact()
		spoil(&c)
		if _, err := DecodeContact(c.Append(nil)); !errors.Is(err, ErrContact) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzContact(f *testing.F) {
	for _, c := range []Contact{{}, testContact()} {
		f.Add(c.Append(nil))
	}
	f.Add([]byte{contactVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeContact(b)
		if err != nil {
			if !errors.Is(err, ErrContact) {
				t.Fatal(err)
			}
			return
		}
		if again := c.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x was read from %x", again, b)
		}
	})
}

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
	if r, _, err := m.Route(0, 3); err != nil || r != SHM {
		t.Errorf("route on one host: %v, %v", r, err)
	}
	if _, _, err := m.Route(0, 2); err == nil {
		t.Error("route to another host without an agent: no error")
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
