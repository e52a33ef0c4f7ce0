package bridge

import (
	"fmt"
	"net/netip"
	"slices"
	"sync/atomic"
)

// Members is the table of the contacts of a cohort. Methods name members and jobs by their numbers in the run.
// Only [Members.Settle] and [Members.SetBase] change it after it was made. It takes 32 bytes for each member, 2 bytes for each
// address of an agent, and some hundred bytes for each kind of members. It is safe for concurrent use.
type Members struct {
	origin   Origin
	rows     []row
	bases    []uint64 // of each row: the address of position 0 in the member's process
	kinds    []kind
	ports    []uint16       // at which the agents listen, of all members
	addrs    [][]netip.Addr // the different lists of addresses at which agents listen
	hosts    []host         // the different hosts, in order of first appearance
	worlds   []uint32       // row of the first member of each world, and the number of rows
	jobs     []uint32       // row of the first member of each job, and the number of rows
	worldOf  []uint32       // of each job
	names    []string       // of the jobs
	programs []program      // of each job, from its first member

	process   uint32      // number of the first member in its world
	libraries []string    // the different MPIs; the first is none
	offers    []string    // the different lists of extensions
	universes []placement // of each world, see Settle; nil before
}

// Origin is where the numbers of a cohort begin in its run. The zero value is that of the beginning.
type Origin struct {
	Member int  // its first member
	Job    int  // its first job
	World  int  // its first world, which is the number of the first of its launchers' jobs
	Later  bool // a process of a world that has come later than the first processes of the world
}

// row holds the parts of one member's contact that differ from those of most others.
type row struct {
	startTime uint64
	pid       uint32
	memFD     uint32
	kind      uint32 // index in Members.kinds
	ports     uint32 // number of the first in Members.ports
}

// kind has the properties that members of one job and host share if they were started alike. There are about
// as many kinds as pairs of a job and a host of it.
type kind struct {
	job           uint32 // index in Members.jobs
	host          uint32 // index in Members.hosts
	memSize       uint64
	starterOffset uint64
	starterSize   uint64
	heapOffset    uint64
	heapSize      uint64
	library       uint32 // index in Members.libraries
	addrs         uint32 // index in Members.addrs
	extensions    uint32 // index in Members.offers
	mode          Mode
	rdma          RDMA
	stays         bool
}

type host struct {
	id   HostID
	name string
}

// NewMembers decodes the blobs of an exchange in which every member of the beginning gave its
// [Contact]. Members must stand in order and jobs must be consecutive ranges
// of them. Errors name the rank, which is the number of the member.
func NewMembers(blobs [][]byte) (*Members, error) { return NewCohort(Origin{}, blobs) }

// NewCohort is NewMembers for the members of a cohort.
func NewCohort(at Origin, blobs [][]byte) (*Members, error) {
	g := gathering{
		m:     &Members{origin: at, rows: make([]row, len(blobs)), bases: make([]uint64, len(blobs)), ports: make([]uint16, 0, len(blobs)), libraries: []string{""}},
		hosts: make(map[host]uint32), kinds: make(map[kind]uint32), addrs: make(map[string]uint32),
	}
	for i, blob := range blobs {
		if err := g.add(i, blob); err != nil {
			return nil, fmt.Errorf("contact of rank %d: %w", at.Member+i, err)
		}
	}
	m := g.m
	m.jobs = append(m.jobs, uint32(len(blobs)))
	m.worlds = append(m.worlds, uint32(len(blobs)))
	m.nameJobs()
	m.kinds, m.hosts = exactly(m.kinds), exactly(m.hosts) // appending left room for more
	m.ports, m.addrs = exactly(m.ports), exactly(m.addrs)
	return m, nil
}

// exactly returns list without room for more.
func exactly[T any](list []T) []T {
	if cap(list) == len(list) {
		return list
	}
	return slices.Clip(slices.Clone(list))
}

// First returns the first member.
func (m *Members) First() int { return m.origin.Member }

// Len returns the number of members, which are First, First+1, ….
func (m *Members) Len() int { return len(m.rows) }

// Range returns all members.
func (m *Members) Range() []int {
	all := make([]int, m.Len())
	for i := range all {
		all[i] = m.First() + i
	}
	return all
}

// row returns the row of member i.
func (m *Members) row(i int) *row { return &m.rows[i-m.origin.Member] }

// FirstJob returns the number of the first job.
func (m *Members) FirstJob() int { return m.origin.Job }

// Jobs returns the number of jobs, which are FirstJob, FirstJob+1, …. A job is a program of a launcher, with all its processes.
func (m *Members) Jobs() int { return len(m.jobs) - 1 }

// JobRange returns the members [first, end) of job j.
func (m *Members) JobRange(j int) (first, end int) {
	j -= m.origin.Job
	return m.origin.Member + int(m.jobs[j]), m.origin.Member + int(m.jobs[j+1])
}

// Worlds returns the number of worlds, which count from 0 in each cohort. A world has all processes that one launcher has started: one
// job, or one for each program of the launcher. Those of an MPI have an MPI_COMM_WORLD in common.
func (m *Members) Worlds() int { return len(m.worlds) - 1 }

// WorldRange returns the members [first, end) of world w, 0 ≤ w < Worlds.
func (m *Members) WorldRange(w int) (first, end int) {
	return m.origin.Member + int(m.worlds[w]), m.origin.Member + int(m.worlds[w+1])
}

// World returns the world of member i. At the beginning of a run it is the number of its launcher's job.
func (m *Members) World(i int) int { return int(m.worldOf[m.kindOf(i).job]) }

// JobName returns the name of job j: for a launcher with one program it is the name in the
// first process of the job, otherwise that of the program. The jobs that launchers of ACP start have
// different names.
func (m *Members) JobName(j int) string { return m.names[j-m.origin.Job] }

// Job returns the job of member i.
func (m *Members) Job(i int) int { return m.origin.Job + int(m.kindOf(i).job) }

func (m *Members) kindOf(i int) *kind { return &m.kinds[m.row(i).kind] }

// needsWindows reports whether a member asks for windows of MPI and nothing else.
func (m *Members) needsWindows() bool {
	return slices.ContainsFunc(m.kinds, func(k kind) bool { return k.mode.NeedsWindows() })
}

// Kinds returns the number of kinds of members.
func (m *Members) Kinds() int { return len(m.kinds) }

// Kind returns the kind of member i, 0 ≤ result < Kinds. Members of one kind are in the same job and
// on the same host. A third member has the same route to each of them, for the same reasons.
func (m *Members) Kind(i int) int { return int(m.row(i).kind) }

// At returns the contact of member i. It belongs to the caller.
func (m *Members) At(i int) Contact {
	r, k := m.row(i), m.kindOf(i)
	h := &m.hosts[k.host]
	return Contact{
		Member: uint32(i), Job: uint32(m.Job(i)), JobRank: m.process + uint32(i-m.origin.Member) - m.jobs[k.job], JobName: m.names[k.job],
		App: m.programs[k.job].app, Program: m.programs[k.job].name,
		Host: h.id, HostName: h.name,
		PID: r.pid, StartTime: r.startTime, MemFD: r.memFD, MemSize: k.memSize, Base: m.Base(i),
		StarterOffset: k.starterOffset, StarterSize: k.starterSize,
		HeapOffset: k.heapOffset, HeapSize: k.heapSize,
		Agent: m.Agent(i), Mode: k.mode, MPI: m.libraries[k.library], RDMA: k.rdma, Stays: k.stays, Extensions: m.Extensions(i),
	}
}

// Agent returns the addresses of the agent of member i, in order of
// preference. The slice belongs to the caller.
func (m *Members) Agent(i int) []netip.AddrPort {
	addrs := m.addrs[m.kindOf(i).addrs]
	agents := make([]netip.AddrPort, len(addrs))
	for j, addr := range addrs {
		agents[j] = netip.AddrPortFrom(addr, m.ports[int(m.row(i).ports)+j])
	}
	return agents
}

// Starter returns where the starter memory of member i lies in its memory, in
// bytes.
func (m *Members) Starter(i int) (offset, size uint64) {
	k := m.kindOf(i)
	return k.starterOffset, k.starterSize
}

// Heap returns where the global heap of member i lies in its memory, in bytes.
func (m *Members) Heap(i int) (offset, size uint64) {
	k := m.kindOf(i)
	return k.heapOffset, k.heapSize
}

// Stays reports whether member i cannot leave its epoch, in a run that can shrink.
func (m *Members) Stays(i int) bool { return m.kindOf(i).stays }

// Extensions returns the list of extensions of member i, as in its contact.
func (m *Members) Extensions(i int) string { return m.offers[m.kindOf(i).extensions] }

// SetBase replaces the address that Base returns for member i.
func (m *Members) SetBase(i int, base uint64) { atomic.StoreUint64(&m.bases[i-m.origin.Member], base) }

// Base returns the address of position 0 of member i in its process.
func (m *Members) Base(i int) uint64 { return atomic.LoadUint64(&m.bases[i-m.origin.Member]) }

// Hosts returns the number of different hosts by name and identity.
func (m *Members) Hosts() int { return len(m.hosts) }

// HostIndex returns the number of the host of member i, 0 ≤ result < Hosts.
func (m *Members) HostIndex(i int) int { return int(m.kindOf(i).host) }

// Host returns the identity of the host of member i.
func (m *Members) Host(i int) HostID { return m.hosts[m.kindOf(i).host].id }

// SameHost reports whether members i and j are on one host, so that they could share memory.
func (m *Members) SameHost(i, j int) bool { return m.Host(i) == m.Host(j) }

// Route chooses the fabric between members i and j from the modes that both
// ask for. Results and errors are those of [ChooseRoute].
func (m *Members) Route(i, j int) (route Route, refused []Refusal, err error) {
	a, b := m.At(i), m.At(j)
	return ChooseRoute(PairMode(a.Mode, b.Mode), &a, &b, func() string { return m.apart(i, j) })
}
