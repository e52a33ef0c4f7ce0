package bridge

import (
	"fmt"
	"net/netip"
	"slices"
	"sort"
)

// Members is the table of all contacts of a run. Only [Members.Settle] changes it after it was
// made. It takes at most 128 bytes per member with up to two agent addresses. It is safe for
// concurrent use.
type Members struct {
	rows   []row
	hosts  []host   // the different hosts, in order of first appearance
	agents []byte   // addresses of all members as in Contact, agentSize each
	jobs   []uint32 // first member of each job, and the number of members
	names  []string // of the jobs

	libraries []string    // the different MPIs; the first is none
	universes []placement // of each job, see Settle; nil before
}

// row holds the parts of one member's contact that differ from those of others.
type row struct {
	startTime     uint64
	memSize       uint64
	starterOffset uint64
	starterSize   uint64
	heapOffset    uint64
	heapSize      uint64
	pid           uint32
	memFD         uint32
	host          uint32
	agents        uint32 // number of the first in Members.agents
	library       uint32 // index in Members.libraries
	agentCount    uint8
	mode          Mode
	rdma          RDMA
}

type host struct {
	id   HostID
	name string
}

// NewMembers decodes the blobs of an exchange in which every member gave its
// [Contact]. Members must stand in order and jobs must be consecutive ranges
// of them. Errors name the rank, which is the number of the member.
func NewMembers(blobs [][]byte) (*Members, error) {
	m := &Members{rows: make([]row, len(blobs)), libraries: []string{""}}
	hosts := make(map[host]uint32)
	for i, blob := range blobs {
		c, err := DecodeContact(blob)
		if err != nil {
			return nil, fmt.Errorf("contact of rank %d: %w", i, err)
		}
		if err := m.place(i, &c); err != nil {
			return nil, fmt.Errorf("contact of rank %d: %w", i, err)
		}
		key := host{c.Host, c.HostName}
		h, known := hosts[key]
		if !known {
			h = uint32(len(m.hosts))
			hosts[key] = h
			m.hosts = append(m.hosts, key)
		}
		m.rows[i] = row{
			startTime: c.StartTime, memSize: c.MemSize,
			starterOffset: c.StarterOffset, starterSize: c.StarterSize,
			heapOffset: c.HeapOffset, heapSize: c.HeapSize,
			pid: c.PID, memFD: c.MemFD, host: h, mode: c.Mode, library: m.library(c.MPI), rdma: c.RDMA,
			agents: uint32(len(m.agents) / agentSize), agentCount: uint8(len(c.Agent)),
		}
		for _, a := range c.Agent {
			m.agents = appendAgent(m.agents, a)
		}
	}
	m.jobs = append(m.jobs, uint32(len(blobs)))
	m.agents = slices.Clip(slices.Clone(m.agents)) // appending left room for more
	return m, nil
}

// library returns the index of an MPI, and adds the MPI if it is new. There are few.
func (m *Members) library(name string) uint32 {
	if i := slices.Index(m.libraries, name); i >= 0 {
		return uint32(i)
	}
	m.libraries = append(m.libraries, name)
	return uint32(len(m.libraries) - 1)
}

// place checks the numbers of member i against those before it.
func (m *Members) place(i int, c *Contact) error {
	if c.Member != uint32(i) {
		return fmt.Errorf("%w: it calls itself rank %d", ErrContact, c.Member)
	}
	if c.Job == uint32(len(m.jobs)) {
		m.jobs = append(m.jobs, uint32(i))
		m.names = append(m.names, c.JobName)
	}
	if c.Job+1 != uint32(len(m.jobs)) || c.JobRank != uint32(i)-m.jobs[len(m.jobs)-1] {
		return fmt.Errorf("%w: it calls itself number %d of job %d", ErrContact, c.JobRank, c.Job)
	}
	return nil
}

// Len returns the number of members.
func (m *Members) Len() int { return len(m.rows) }

// Jobs returns the number of jobs.
func (m *Members) Jobs() int { return len(m.jobs) - 1 }

// JobRange returns the members [first, end) of job j, 0 ≤ j < Jobs.
func (m *Members) JobRange(j int) (first, end int) {
	return int(m.jobs[j]), int(m.jobs[j+1])
}

// JobName returns the name of job j, 0 ≤ j < Jobs, as the first process of the job knows it. Launchers
// give different names to the jobs of a run.
func (m *Members) JobName(j int) string { return m.names[j] }

// Job returns the job of member i.
func (m *Members) Job(i int) int {
	return sort.Search(m.Jobs(), func(j int) bool { return int(m.jobs[j+1]) > i })
}

// At returns the contact of member i, 0 ≤ i < Len. Its Agent slice is shared
// and must not be changed. Does not allocate.
func (m *Members) At(i int) Contact {
	r := &m.rows[i]
	job := m.Job(i)
	return Contact{
		Member: uint32(i), Job: uint32(job), JobRank: uint32(i) - m.jobs[job], JobName: m.names[job],
		Host: m.hosts[r.host].id, HostName: m.hosts[r.host].name,
		PID: r.pid, StartTime: r.startTime, MemFD: r.memFD, MemSize: r.memSize,
		StarterOffset: r.starterOffset, StarterSize: r.starterSize,
		HeapOffset: r.heapOffset, HeapSize: r.heapSize,
		Agent: m.Agent(i), Mode: r.mode, MPI: m.libraries[r.library], RDMA: r.rdma,
	}
}

// Agent returns the addresses of the agent of member i, in order of
// preference. The slice belongs to the caller.
func (m *Members) Agent(i int) []netip.AddrPort {
	r := &m.rows[i]
	agents := make([]netip.AddrPort, r.agentCount)
	for k := range agents {
		at := (int(r.agents) + k) * agentSize
		// DecodeContact has accepted every address before.
		agents[k], _ = decodeAgent(m.agents[at : at+agentSize])
	}
	return agents
}

// Starter returns where the starter memory of member i lies in its memory, in
// bytes.
func (m *Members) Starter(i int) (offset, size uint64) {
	return m.rows[i].starterOffset, m.rows[i].starterSize
}

// Heap returns where the global heap of member i lies in its memory, in bytes.
func (m *Members) Heap(i int) (offset, size uint64) {
	return m.rows[i].heapOffset, m.rows[i].heapSize
}

// Hosts returns the number of different hosts by name and identity.
func (m *Members) Hosts() int { return len(m.hosts) }

// HostIndex returns the number of the host of member i, 0 ≤ result < Hosts.
func (m *Members) HostIndex(i int) int { return int(m.rows[i].host) }

// SameHost reports whether members i and j are on one host, so that they could share memory.
func (m *Members) SameHost(i, j int) bool {
	return m.hosts[m.rows[i].host].id == m.hosts[m.rows[j].host].id
}

// Route chooses the fabric between members i and j from the modes that both
// ask for. Results and errors are those of [ChooseRoute].
func (m *Members) Route(i, j int) (route Route, refused []Refusal, err error) {
	a, b := m.At(i), m.At(j)
	return ChooseRoute(PairMode(a.Mode, b.Mode), &a, &b, func() string { return m.apart(i, j) })
}
