package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// membership is the part of the server that needs no socket: it assigns processes to members, collects the
// blobs that they exchange, and decides which cohort ends. It is not safe for concurrent use.
type membership struct {
	seats      int        // members that the run can ever have
	residents  int        // the first of them, which only processes of the run's own jobs can be
	jobs       []Job      // of all cohorts
	seatsOf    []jobSeats // by job
	cohorts    []*cohort  // by number
	lone       []*cohort  // of newcomers, and of ranks that have left their epoch
	records    memberTable
	later      int          // the next member for a process of the run's own jobs that comes later
	arrivals   []*arrival   // processes that have exchanged contacts, in that order
	epoch      int          // of the cohort of the beginning
	departing  []*departing // for which confirmations are missing
	changed    bool         // the members of the epoch are not those of the beginning
	elastic    bool         // the cohort of the beginning can grow and shrink
	renumbered bool         // its members have other ranks than their numbers
	windows    bool         // members of the beginning reach each other by windows of MPI alone
	named      int          // jobs of the members of arrivals: a launcher may have several programs, each a job
}

// jobSeats has the members of one job.
type jobSeats struct {
	first  int   // of its processes of the beginning
	free   int   // all process numbers below it are taken
	later  []int // of its processes that may come later, ascending
	named  int   // the number of the job for members, if it can grow
	cohort *cohort
}

// cohort has members that exchange blobs among each other alone: those that have started together, and those that they
// have adopted. A newcomer is a cohort of its own until it is adopted, and so is a rank that has left its epoch.
type cohort struct {
	number   int
	job      int   // its first job
	members  []int // ascending
	newcomer bool
	departed bool
	joined   int // how many have ever joined
	left     int // how many have left

	seq     uint32 // of the exchange in progress
	waiting int    // how many have given their blob to it
	voted   int    // how many have called Adopt

	contacts  [][]byte // blobs of the last exchange of contacts
	arrived   bool     // its contacts are right, and those of a newcomer are announced
	arrival   *Change  // of a newcomer that has sent its contact and does not serve yet
	universes [][]byte // blobs of the last exchange of the results of joining

	aborted string // the reason why its run is over, or ""
	died    bool   // because a member has died
	events  *eventQueue
}

// first returns the lowest member.
func (c *cohort) first() int { return c.members[0] }

// size returns the number of members.
func (c *cohort) size() int { return len(c.members) }

// arrival is the arrival of processes that have started together.
type arrival struct {
	change Change
	cohort *cohort // of the beginning, or of guests
	end    int     // 1 + the last member
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
	lost    int     // the member to which its connection has broken first; noMember if there is none
	aborted bool    // it has called Abort
	cohort  *cohort // nil: no process may come as this member yet
	vote    vote    // in the call of Adopt in progress
	asked   bool    // it is asked to leave
}

// ended reports whether the process has left or died.
func (r *memberRecord) ended() bool { return r.state == memberLeft || r.state == memberDead }

// vote is what a member has passed to Adopt.
type vote uint8

const (
	notVoted vote = iota
	votedToStay
	votedToLeave
)

// newMembership returns the membership of a run of which jobs are the first cohort. Besides the seats of these jobs
// it has so many for guests. Processes of all jobs that come later get seats in the order in which they are admitted.
func newMembership(jobs []Job, guests int) *membership {
	m := &membership{}
	m.add(jobs)
	m.later = m.records.size()
	for _, job := range jobs {
		m.records.extend(job.reserve())
	}
	m.elastic = slices.ContainsFunc(jobs, func(j Job) bool { return j.Max > 0 })
	m.residents = m.records.size()
	m.seats = m.residents + guests
	return m
}

// add gives the next seats to the members of a new cohort, which there are.
func (m *membership) add(jobs []Job) *cohort {
	c := &cohort{number: len(m.cohorts), job: len(m.jobs)}
	for _, job := range jobs {
		m.jobs = append(m.jobs, job)
		m.seatsOf = append(m.seatsOf, jobSeats{first: m.records.size(), cohort: c})
		for range job.Size {
			c.members = append(c.members, m.records.size())
			m.records.extend(1)
			m.records.at(m.records.size() - 1).cohort = c
		}
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
		if c := m.cohortOfJob(k); job.Name == name && (!present || c.number == 0 || c.aborted == "" && c.left < c.size()) {
			return true
		}
	}
	return false
}

// size returns the number of seats that members have or have had.
func (m *membership) size() int { return m.records.size() }

// cohortOf returns the cohort of a member that a process may be.
func (m *membership) cohortOf(member int) *cohort { return m.records.at(member).cohort }

// cohortOfJob returns the cohort with which a job has begun.
func (m *membership) cohortOfJob(job int) *cohort { return m.seatsOf[job].cohort }

// member returns the member for a process of a job, or -1 if the job does not have the process.
func (m *membership) member(job, jobRank int) int {
	size, seats := m.jobs[job].Size, &m.seatsOf[job]
	switch {
	case jobRank < size:
		return seats.first + jobRank
	case jobRank < size+len(seats.later):
		return seats.later[jobRank-size]
	}
	return -1
}

// join returns the member for a process, or the reason why the run has no place for it.
func (m *membership) join(h hello, l *link) (member int, reason string) {
	if int64(h.job) >= int64(len(m.jobs)) {
		return -1, fmt.Sprintf("there is no job %d, this run has %d jobs", h.job, len(m.jobs))
	}
	size := m.jobs[h.job].Size
	if h.jobRank < 0 {
		if h.jobRank = int32(m.nextFree(h.job)); int(h.jobRank) == size {
			return -1, fmt.Sprintf("all %d processes of job %d have joined already", size, h.job)
		}
	}
	if member = m.member(int(h.job), int(h.jobRank)); member < 0 {
		return -1, fmt.Sprintf("process %d of job %d is one too many, this run expects %d processes in that job", h.jobRank, h.job, size+len(m.seatsOf[h.job].later))
	}
	record := m.records.at(member)
	if record.state != memberAwaited {
		return -1, fmt.Sprintf("process %d of job %d has joined already (host %s, pid %d)", h.jobRank, h.job, record.hello.host, record.hello.pid)
	}
	record.link, record.hello, record.state = l, h, memberPresent
	record.cohort.joined++
	return member, ""
}

// welcome returns what a member that has joined gets.
func (m *membership) welcome(member int) welcome {
	c := m.cohortOf(member)
	w := welcome{
		member: uint32(member), jobRank: uint32(m.records.at(member).hello.jobRank), seats: uint32(m.seats),
		cohort: uint32(c.number), first: uint32(c.first()), size: uint32(c.size()),
	}
	if m.elastic {
		w.limit = uint32(m.residents)
		w.mayLeave = c.number == 0 && m.mayLeave(member)
	}
	return w
}

// mayLeave reports whether a resident may leave its epoch.
func (m *membership) mayLeave(member int) bool {
	return member != 0 && m.jobs[m.records.at(member).hello.job].Max > 0
}

// arrive records that the members of a cohort have exchanged their contacts, and returns the change, which others get
// unless the cohort is a newcomer: that waits for its vote. Fails if a contact is malformed.
func (m *membership) arrive(c *cohort) (Change, error) {
	change := Change{Kind: CohortArrived, Member: c.first(), Cohort: c.number, Job: m.named, World: c.job, Size: c.size(), Contacts: c.contacts}
	if c.newcomer {
		job := int(m.records.at(c.first()).hello.job)
		change.Kind, change.Job, change.World = MemberArrived, m.seatsOf[job].named, job
	}
	members, err := change.members()
	if err != nil {
		return Change{}, err
	}
	if c != m.cohorts[0] && members.needsWindows() {
		return Change{}, errors.New("processes that come later have no windows of MPI")
	}
	if c == m.cohorts[0] {
		m.windows = members.needsWindows()
		for w := range members.Worlds() {
			first, _ := members.WorldRange(w)
			m.seatsOf[w].named = members.Job(first)
		}
	}
	if c.newcomer {
		c.arrival = &change
		return change, nil
	}
	m.named += members.Jobs()
	m.announce(c, change)
	return change, nil
}

// announce records the change with which a cohort has arrived.
func (m *membership) announce(c *cohort, change Change) {
	c.arrived = true
	m.arrivals = append(m.arrivals, &arrival{change, c, c.first() + c.size()})
}

// present reports whether a process that has arrived is still there, or belongs to the epoch.
func (m *membership) present(a *arrival) bool {
	for member := int(a.change.Member); member < a.end; member++ {
		if record := m.records.at(member); record.state == memberPresent || record.cohort == m.cohorts[0] {
			return true
		}
	}
	return false
}

// nextFree returns the lowest process number of a job that no process has taken, or the size
// of the job. A number that was taken never becomes free again.
func (m *membership) nextFree(job uint32) int {
	n := &m.seatsOf[job].free
	for *n < m.jobs[job].Size && m.records.at(m.seatsOf[job].first+*n).state != memberAwaited {
		*n++
	}
	return *n
}

// takeBlob takes the blob of a member. With the last blob it returns the result for all members of the
// cohort.
func (m *membership) takeBlob(member int, seq uint32, blob []byte) (result []byte, err error) {
	c, record := m.cohortOf(member), m.records.at(member)
	if record.given || seq != c.seq {
		return nil, fmt.Errorf("%w: blob for exchange %d during exchange %d", ErrProtocol, seq, c.seq)
	}
	record.given, record.blob = true, blob
	c.waiting++
	if c.waiting < c.size() {
		return nil, nil
	}
	blobs := make([][]byte, c.size())
	for i, member := range c.members {
		record := m.records.at(member)
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

// stuck returns why the exchange or the call of Adopt in progress of a cohort can never end, or "" if it can.
func (m *membership) stuck(c *cohort) string {
	if c.waiting+c.voted == 0 || c.left == 0 {
		return ""
	}
	for _, member := range c.members {
		if record := m.records.at(member); record.state == memberLeft && !record.given {
			return m.where(member) + " left while others wait for it"
		}
	}
	return ""
}

// reportLost records that a member has lost its connection to another one.
func (m *membership) reportLost(member, peer int) {
	if record := m.records.at(member); record.lost == noMember && peer != member {
		record.lost = peer
	}
}

// reporter returns the member whose report of a loss may explain the end of a member: the member itself, or one of
// its job. That one may have ended after its report, and launchers of MPI then kill the other processes of the job. It returns
// noMember if there is none, or if the member is lost to one that has reported.
func (m *membership) reporter(member int) int {
	if m.records.at(member).lost != noMember {
		return member
	}
	reporter := noMember
	for i, record := range m.records.used() {
		switch {
		case record.lost == member:
			return noMember
		case record.lost != noMember && record.hello.job == m.records.at(member).hello.job && record.cohort == m.cohortOf(member):
			reporter = i
		}
	}
	return reporter
}

// lostFirst returns the member whose loss has made a member end, and the member that has reported the loss. A
// member that loses another one ends, and so is lost to further members. So lostFirst follows the reports to
// the first loss. peer is noMember if member has reported no loss.
func (m *membership) lostFirst(member int) (by, peer int) {
	by, peer = member, m.records.at(member).lost
	for range m.size() {
		if peer == noMember || m.records.at(peer).lost == noMember {
			return by, peer
		}
		by, peer = peer, m.records.at(peer).lost
	}
	// The two have lost each other, so the network between them has failed.
	return member, m.records.at(member).lost
}

// endOf returns the change by which members of other cohorts learn that a member has left, also its epoch alone, or has died.
func (m *membership) endOf(member int) Change {
	record := m.records.at(member)
	if record.cohort.departed || record.state == memberLeft {
		return Change{Kind: MemberLeft, Member: member}
	}
	return Change{Kind: MemberLost, Member: member, Reason: cmp.Or(record.cohort.aborted, m.where(member)+" died")}
}

// where returns how messages name a member.
func (m *membership) where(member int) string {
	h := &m.records.at(member).hello
	return fmt.Sprintf("rank %d (%s, host %s, pid %d)", member, JobText(int(h.job), m.jobs[h.job].Name), h.host, h.pid)
}

func (m *membership) event(kind EventKind, member int, text string) Event {
	h := &m.records.at(member).hello
	return Event{
		Kind: kind, Member: member, Job: int(h.job), JobRank: int(h.jobRank),
		PID: int(h.pid), Host: h.host, Text: text,
	}
}
