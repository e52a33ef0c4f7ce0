package bridge

import "fmt"

// membership is the part of the server that needs no socket: it assigns processes to members and collects the
// blobs that they exchange. It is not safe for concurrent use.
type membership struct {
	jobs    []Job
	first   []int          // first member of each job, and the number of members
	free    []int          // of each job: all process numbers below it are taken
	records []memberRecord // by member
	joined  int            // how many have ever joined
	left    int            // how many have left

	seq     uint32 // of the exchange in progress
	waiting int    // how many have given their blob to it

	contacts  [][]byte // blobs of the last exchange of contacts
	universes [][]byte // blobs of the last exchange of the results of joining
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

func newMembership(jobs []Job) *membership {
	m := &membership{jobs: jobs, first: make([]int, 1, len(jobs)+1), free: make([]int, len(jobs))}
	for _, job := range jobs {
		m.first = append(m.first, m.first[len(m.first)-1]+job.Size)
	}
	m.records = make([]memberRecord, m.first[len(jobs)])
	for i := range m.records {
		m.records[i].lost = noMember
	}
	return m
}

func (m *membership) size() int { return len(m.records) }

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
	m.joined++
	return member, ""
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

// takeBlob takes the blob of a member. With the last blob it returns the result for all members.
func (m *membership) takeBlob(member int, seq uint32, blob []byte) (result []byte, err error) {
	record := &m.records[member]
	if record.given || seq != m.seq {
		return nil, fmt.Errorf("%w: blob for exchange %d during exchange %d", ErrProtocol, seq, m.seq)
	}
	record.given, record.blob = true, blob
	m.waiting++
	if m.waiting < m.size() {
		return nil, nil
	}
	blobs := make([][]byte, m.size())
	for i := range m.records {
		record := &m.records[i]
		blobs[i], record.blob, record.given = record.blob, nil, false
	}
	m.waiting = 0
	// The first exchange is that of the contacts.
	if _, err := DecodeContact(blobs[0]); err == nil {
		m.contacts = blobs
	}
	if _, err := decodeOutcome(blobs[0]); err == nil {
		m.universes = blobs
	}
	m.seq++
	return resultFrame(seq, blobs)
}

// stuck returns why the exchange in progress can never end, or "" if it can.
func (m *membership) stuck() string {
	if m.waiting == 0 || m.left == 0 {
		return ""
	}
	for i := range m.records {
		if record := &m.records[i]; record.state == memberLeft && !record.given {
			return m.where(i) + " left while others wait for it"
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
