package bridge

import (
	"errors"
	"fmt"
	"slices"
)

// membership is the part of the server that needs no socket: it assigns processes to members, collects the
// blobs that they exchange, and decides which cohort ends. It is not safe for concurrent use.
type membership struct {
	seats    int            // members that the run can ever have
	jobs     []Job          // of all cohorts
	first    []int          // first member of each job, and the number of members of all jobs
	free     []int          // of each job: all process numbers below it are taken
	cohorts  []*cohort      // by number
	records  []memberRecord // by member
	arrivals []*cohort      // those whose members have exchanged contacts, in that order
	windows  bool           // members of the beginning reach each other by windows of MPI alone
	named    int            // jobs of the members of arrivals: a launcher may have several programs, each a job
}

// cohort has the members that have started together. They exchange blobs among each other alone.
type cohort struct {
	number int
	job    int // its first job
	first  int // its first member
	size   int
	joined int // how many have ever joined
	left   int // how many have left

	seq     uint32 // of the exchange in progress
	waiting int    // how many have given their blob to it

	contacts  [][]byte // blobs of the last exchange of contacts
	arrived   bool     // its contacts are right
	firstJob  int      // number that members give to its first job, from the contacts
	universes [][]byte // blobs of the last exchange of the results of joining

	aborted string // the reason why its run is over, or ""
	died    bool   // because a member has died
	events  *eventQueue
}

type memberState uint8

const (
	memberAwaited memberState = iota // no process has joined as this member
	memberPresent
	memberLeft
	memberDead
)

// memberRecord is the state of one member in the server.
type memberRecord struct {
	link    *link
	hello   hello // from the member, with its final job rank
	state   memberState
	given   bool // blob is for the exchange in progress
	blob    []byte
	lost    int  // the member to which its connection has broken first; noMember if there is none
	aborted bool // it has called Abort
}

// newMembership returns the membership of a run of which jobs are the first cohort. Besides their
// processes it has seats for so many guests.
func newMembership(jobs []Job, guests int) *membership {
	m := &membership{first: []int{0}}
	for _, job := range jobs {
		m.seats += job.Size
	}
	m.seats += guests
	m.add(jobs)
	return m
}

// add gives the next seats to the members of a new cohort, which there are.
func (m *membership) add(jobs []Job) *cohort {
	c := &cohort{number: len(m.cohorts), job: len(m.jobs), first: len(m.records)}
	for _, job := range jobs {
		m.jobs = append(m.jobs, job)
		m.free = append(m.free, 0)
		m.first = append(m.first, m.first[len(m.first)-1]+job.Size)
		c.size += job.Size
	}
	for range c.size {
		m.records = append(m.records, memberRecord{lost: noMember})
	}
	m.cohorts = append(m.cohorts, c)
	return c
}

// nameGuests returns jobs that attach with different names. A derived name gets a number if another job has it, also
// one whose processes have all ended: a model with that name may have ended. It is an error if two jobs have been given
// the same name, or one has been given that of a job whose processes have not all ended.
func (m *membership) nameGuests(guests []GuestJob) ([]Job, error) {
	var jobs []Job
	used := func(name string) bool {
		return slices.ContainsFunc(jobs, func(j Job) bool { return j.Name == name })
	}
	for _, g := range guests {
		job := g.Job
		switch {
		case job.Name == "":
		case g.Derived:
			for n := 2; m.hasName(job.Name, false) || used(job.Name); n++ {
				job.Name = NumberedJobName(g.Name, n)
			}
		case used(job.Name):
			return nil, fmt.Errorf("two jobs have the name %s", job.Name)
		case m.hasName(job.Name, true):
			return nil, fmt.Errorf("the run has a job with the name %s", job.Name)
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// hasName reports whether a job has a name. If present, jobs of guests whose processes have all ended do not count.
func (m *membership) hasName(name string, present bool) bool {
	for k, job := range m.jobs {
		if c := m.cohortOfJob(k); job.Name == name && (!present || c.number == 0 || c.aborted == "" && c.left < c.size) {
			return true
		}
	}
	return false
}

// size returns the number of seats that members have or have had.
func (m *membership) size() int { return len(m.records) }

// cohortOf returns the cohort of a member.
func (m *membership) cohortOf(member int) *cohort {
	n, found := slices.BinarySearchFunc(m.cohorts, member, func(c *cohort, member int) int { return c.first - member })
	if !found {
		n--
	}
	return m.cohorts[n]
}

// cohortOfJob returns the cohort of a job.
func (m *membership) cohortOfJob(job int) *cohort { return m.cohortOf(m.first[job]) }

// of returns the records of a cohort.
func (m *membership) of(c *cohort) []memberRecord { return m.records[c.first : c.first+c.size] }

// join returns the member for a process, or the reason why the run has no place for it.
func (m *membership) join(h hello, l *link) (member int, reason string) {
	if int64(h.job) >= int64(len(m.jobs)) {
		return -1, fmt.Sprintf("there is no job %d, this run has %d jobs", h.job, len(m.jobs))
	}
	size, first := m.jobs[h.job].Size, m.first[h.job]
	switch {
	case h.jobRank >= 0 && int(h.jobRank) >= size:
		return -1, fmt.Sprintf("process %d of job %d is one too many, this run expects %d processes in that job", h.jobRank, h.job, size)
	case h.jobRank < 0:
		if h.jobRank = int32(m.nextFree(h.job)); int(h.jobRank) == size {
			return -1, fmt.Sprintf("all %d processes of job %d have joined already", size, h.job)
		}
	}
	member = first + int(h.jobRank)
	if record := &m.records[member]; record.state != memberAwaited {
		return -1, fmt.Sprintf("process %d of job %d has joined already (host %s, pid %d)", h.jobRank, h.job, record.hello.host, record.hello.pid)
	}
	m.records[member] = memberRecord{link: l, hello: h, state: memberPresent, lost: noMember}
	m.cohortOf(member).joined++
	return member, ""
}

// welcome returns what a member that has joined gets.
func (m *membership) welcome(member int) welcome {
	c := m.cohortOf(member)
	return welcome{
		member: uint32(member), jobRank: uint32(m.records[member].hello.jobRank), seats: uint32(m.seats),
		cohort: uint32(c.number), first: uint32(c.first), size: uint32(c.size),
	}
}

// arrive records that the members of a cohort have exchanged their contacts, and returns the change. Fails if a
// contact is malformed.
func (m *membership) arrive(c *cohort) (Change, error) {
	members, err := NewCohort(Origin{Member: c.first, World: c.job}, c.contacts)
	if err != nil {
		return Change{}, err
	}
	if c.number > 0 && members.needsWindows() {
		return Change{}, errors.New("guests have no windows of MPI")
	}
	if c.number == 0 {
		m.windows = members.needsWindows()
	}
	c.arrived, c.firstJob = true, m.named
	m.named += members.Jobs()
	m.arrivals = append(m.arrivals, c)
	return c.arrival(), nil
}

// arrival returns the change with which the cohort has arrived.
func (c *cohort) arrival() Change {
	return Change{Kind: CohortArrived, Member: c.first, Cohort: c.number, Job: c.firstJob, World: c.job, Size: c.size, Contacts: c.contacts}
}

// present reports whether a cohort has members that have joined and have not ended.
func (m *membership) present(c *cohort) bool {
	return slices.ContainsFunc(m.of(c), func(r memberRecord) bool { return r.state == memberPresent })
}

// nextFree returns the lowest process number of a job that no process has taken, or the size
// of the job. A number that was taken never becomes free again.
func (m *membership) nextFree(job uint32) int {
	n := &m.free[job]
	for *n < m.jobs[job].Size && m.records[m.first[job]+*n].state != memberAwaited {
		*n++
	}
	return *n
}

// takeBlob takes the blob of a member. With the last blob it returns the result for all members of the
// cohort.
func (m *membership) takeBlob(member int, seq uint32, blob []byte) (result []byte, err error) {
	c, record := m.cohortOf(member), &m.records[member]
	if record.given || seq != c.seq {
		return nil, fmt.Errorf("%w: blob for exchange %d during exchange %d", ErrProtocol, seq, c.seq)
	}
	record.given, record.blob = true, blob
	c.waiting++
	if c.waiting < c.size {
		return nil, nil
	}
	blobs := make([][]byte, c.size)
	for i, records := 0, m.of(c); i < len(records); i++ {
		record := &records[i]
		blobs[i], record.blob, record.given = record.blob, nil, false
	}
	c.waiting = 0
	// The first exchange is that of the contacts.
	if _, err := DecodeContact(blobs[0]); err == nil {
		c.contacts = blobs
	}
	if _, err := decodeOutcome(blobs[0]); err == nil {
		c.universes = blobs
	}
	c.seq++
	return resultFrame(seq, blobs)
}

// stuck returns why the exchange in progress of a cohort can never end, or "" if it can.
func (m *membership) stuck(c *cohort) string {
	if c.waiting == 0 || c.left == 0 {
		return ""
	}
	for i, record := range m.of(c) {
		if record.state == memberLeft && !record.given {
			return m.where(c.first+i) + " left while others wait for it"
		}
	}
	return ""
}

// reportLost records that a member has lost its connection to another one.
func (m *membership) reportLost(member, peer int) {
	if record := &m.records[member]; record.lost == noMember && peer != member {
		record.lost = peer
	}
}

// lostFirst returns the member whose loss has made a member end, and the member that has reported the loss. A
// member that loses another one ends, and so is lost to further members. So lostFirst follows the reports to
// the first loss. peer is noMember if member has reported no loss.
func (m *membership) lostFirst(member int) (by, peer int) {
	by, peer = member, m.records[member].lost
	for range m.records {
		if peer == noMember || m.records[peer].lost == noMember {
			return by, peer
		}
		by, peer = peer, m.records[peer].lost
	}
	// The two have lost each other, so the network between them has failed.
	return member, m.records[member].lost
}

// where returns how messages name a member.
func (m *membership) where(member int) string {
	h := &m.records[member].hello
	return fmt.Sprintf("rank %d (%s, host %s, pid %d)", member, JobText(int(h.job), m.jobs[h.job].Name), h.host, h.pid)
}

func (m *membership) event(kind EventKind, member int, text string) Event {
	h := &m.records[member].hello
	return Event{
		Kind: kind, Member: member, Job: int(h.job), JobRank: int(h.jobRank),
		PID: int(h.pid), Host: h.host, Text: text,
	}
}
