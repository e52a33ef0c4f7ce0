package bridge

import "fmt"

// roster is the part of the server that decides without a socket: which process is which
// member, and what the members exchange. It is not safe for concurrent use.
type roster struct {
	jobs   []Job
	first  []int // first member of each job, and the number of members
	free   []int // of each job: all process numbers below it are taken
	seats  []seat
	joined int // how many have ever joined
	left   int // how many have left

	seq     uint32 // of the exchange in progress
	waiting int    // how many have given their blob to it

	contacts  [][]byte // blobs of the last exchange of contacts
	universes [][]byte // blobs of the last exchange of what joining has come to
}

type seatState uint8

const (
	seatEmpty seatState = iota
	seatTaken
	seatLeft
	seatDead
)

// seat is what the server knows about one member.
type seat struct {
	link  *link
	hello hello // as the member said it, with its job rank decided
	state seatState
	given bool // blob is for the exchange in progress
	blob  []byte
	lost  int // the member to which its connection has broken first; noMember if there is none
}

func newRoster(jobs []Job) *roster {
	r := &roster{jobs: jobs, first: make([]int, 1, len(jobs)+1), free: make([]int, len(jobs))}
	for _, job := range jobs {
		r.first = append(r.first, r.first[len(r.first)-1]+job.Size)
	}
	r.seats = make([]seat, r.first[len(jobs)])
	for i := range r.seats {
		r.seats[i].lost = noMember
	}
	return r
}

func (r *roster) size() int { return len(r.seats) }

// join returns the member for a process, or why the run has no place for it.
func (r *roster) join(h hello, l *link) (member int, reason string) {
	if int64(h.job) >= int64(len(r.jobs)) {
		return -1, fmt.Sprintf("there is no job %d, this run has %d jobs", h.job, len(r.jobs))
	}
	size, first := r.jobs[h.job].Size, r.first[h.job]
	switch {
	case h.jobRank >= 0 && int(h.jobRank) >= size:
		return -1, fmt.Sprintf("process %d of job %d is one too many, this run expects %d processes in that job", h.jobRank, h.job, size)
	case h.jobRank < 0:
		if h.jobRank = int32(r.nextFree(h.job)); int(h.jobRank) == size {
			return -1, fmt.Sprintf("all %d processes of job %d have joined already", size, h.job)
		}
	}
	member = first + int(h.jobRank)
	if s := &r.seats[member]; s.state != seatEmpty {
		return -1, fmt.Sprintf("process %d of job %d has joined already (host %s, pid %d)", h.jobRank, h.job, s.hello.host, s.hello.pid)
	}
	r.seats[member] = seat{link: l, hello: h, state: seatTaken, lost: noMember}
	r.joined++
	return member, ""
}

// nextFree returns the lowest process number of a job that no process has taken, or the size
// of the job. A number that was taken never becomes free again.
func (r *roster) nextFree(job uint32) int {
	n := &r.free[job]
	for *n < r.jobs[job].Size && r.seats[r.first[job]+*n].state != seatEmpty {
		*n++
	}
	return *n
}

// give takes the blob of a member. With the last blob it returns the result for all members.
func (r *roster) give(member int, seq uint32, blob []byte) (result []byte, err error) {
	s := &r.seats[member]
	if s.given || seq != r.seq {
		return nil, fmt.Errorf("%w: blob for exchange %d during exchange %d", ErrProtocol, seq, r.seq)
	}
	s.given, s.blob = true, blob
	r.waiting++
	if r.waiting < r.size() {
		return nil, nil
	}
	blobs := make([][]byte, r.size())
	for i := range r.seats {
		s := &r.seats[i]
		blobs[i], s.blob, s.given = s.blob, nil, false
	}
	r.waiting = 0
	// The first exchange is that of the contacts.
	if _, err := DecodeContact(blobs[0]); err == nil {
		r.contacts = blobs
	}
	if _, err := decodeOutcome(blobs[0]); err == nil {
		r.universes = blobs
	}
	r.seq++
	return resultFrame(seq, blobs)
}

// stuck returns why the exchange in progress can never end, or "" if it can.
func (r *roster) stuck() string {
	if r.waiting == 0 || r.left == 0 {
		return ""
	}
	for i := range r.seats {
		if s := &r.seats[i]; s.state == seatLeft && !s.given {
			return r.where(i) + " left while others wait for it"
		}
	}
	return ""
}

// reportLost records that a member has lost its connection to another one.
func (r *roster) reportLost(member, peer int) {
	if s := &r.seats[member]; s.lost == noMember && peer != member {
		s.lost = peer
	}
}

// lostFirst returns the member whose loss has made a member give up, and the member that has
// reported the loss. A member that loses another one gives up and is lost to further members.
// So lostFirst follows the reports to the first loss. peer is noMember if member has reported
// no loss.
func (r *roster) lostFirst(member int) (by, peer int) {
	by, peer = member, r.seats[member].lost
	for range r.seats {
		if peer == noMember || r.seats[peer].lost == noMember {
			return by, peer
		}
		by, peer = peer, r.seats[peer].lost
	}
	// The two have lost each other, so the network between them has failed.
	return member, r.seats[member].lost
}

// where returns how messages name a member.
func (r *roster) where(member int) string {
	h := &r.seats[member].hello
	return fmt.Sprintf("rank %d (job %d, host %s, pid %d)", member, h.job, h.host, h.pid)
}

func (r *roster) event(kind EventKind, member int, text string) Event {
	h := &r.seats[member].hello
	return Event{
		Kind: kind, Member: member, Job: int(h.job), JobRank: int(h.jobRank),
		PID: int(h.pid), Host: h.host, Text: text,
	}
}
