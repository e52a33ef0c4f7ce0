package bridge

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// This file decides without MPI which jobs become one universe, and reads and
// writes what the members tell each other about it.

// MPIRank is the number of a process in the communicator of its universe.
type MPIRank int

// berth is the place of a job in a universe.
type berth struct {
	universe int32   // first job of the universe; noUniverse: the job is in none
	first    MPIRank // of the first process of the job; the others follow
	reason   string  // why the job is not in a universe with others that have the same MPI, or nothing
}

const noUniverse = -1

// MayJoin reports whether some members are to have a communicator in common,
// because windows of MPI may serve them. Then [Join] says with [Members.Settle]
// what came of it. All members come to the same result. Pure.
func (m *Members) MayJoin() bool {
	groups, _ := m.groups()
	return len(groups) > 0
}

// groups returns the jobs that are to become universes, each group in job order
// and with one MPI, and for all other jobs the reason. A group of one job is a
// universe too.
func (m *Members) groups() (groups [][]int, reasons []string) {
	reasons = make([]string, m.Jobs())
	byLibrary := make([][]int, len(m.libraries))
	for j := range m.Jobs() {
		library, reason := m.jobLibrary(j)
		if reasons[j] = reason; reason == "" {
			byLibrary[library] = append(byLibrary[library], j)
		}
	}
	for _, jobs := range byLibrary {
		if m.worthwhile(jobs) {
			groups = append(groups, jobs)
			continue
		}
		for _, j := range jobs {
			reasons[j] = "no pair of its ranks needs it"
		}
	}
	return groups, reasons
}

// jobLibrary returns the MPI that all members of a job have, or why there is none.
func (m *Members) jobLibrary(job int) (library uint32, reason string) {
	first, end := m.JobRange(job)
	library = m.rows[first].library
	asks := false
	for i := first; i < end; i++ {
		r := &m.rows[i]
		switch {
		case r.library == 0:
			return 0, fmt.Sprintf("rank %d has no MPI", i)
		case r.library != library:
			return 0, fmt.Sprintf("rank %d has %s, rank %d %s", first, m.libraries[library], i, m.libraries[r.library])
		}
		asks = asks || r.mode == ModeRMA || r.mode == ModeAuto
	}
	if !asks {
		return 0, fmt.Sprintf("it asks for network %v", m.rows[first].mode)
	}
	return library, ""
}

// worthwhile reports whether windows of MPI may serve a pair of members of jobs:
// if one asks for nothing else, or if there is RDMA hardware on two hosts.
func (m *Members) worthwhile(jobs []int) bool {
	var hostID *HostID
	for _, j := range jobs {
		first, end := m.JobRange(j)
		for i := first; i < end; i++ {
			r := &m.rows[i]
			id := &m.hosts[r.host].id
			switch {
			case r.mode == ModeRMA:
				return true
			case r.mode != ModeAuto || !r.rdma.Usable():
			case hostID == nil:
				hostID = id
			case *hostID != *id:
				return true
			}
		}
	}
	return false
}

// Settle records the universes of a run from the blobs of the last exchange of
// [Join]. Errors name the member whose blob is malformed or contradicts others.
// Not for concurrent use with other methods.
func (m *Members) Settle(blobs [][]byte) error {
	if len(blobs) != m.Len() {
		return fmt.Errorf("%w: %d outcomes for %d ranks", ErrProtocol, len(blobs), m.Len())
	}
	berths := make([]berth, m.Jobs())
	next := make([]MPIRank, m.Jobs()) // by universe
	for j := range berths {
		first, end := m.JobRange(j)
		for i := first; i < end; i++ {
			o, err := decodeOutcome(blobs[i])
			switch {
			case err != nil:
			case i == first && leads(berths[:j], o.universe):
				berths[j] = o
			case i == first:
				err = fmt.Errorf("%w: there is no universe %d", ErrProtocol, o.universe)
			case o.universe != berths[j].universe:
				err = fmt.Errorf("%w: it is in another universe than rank %d", ErrProtocol, first)
			}
			if u := berths[j].universe; err == nil && u != noUniverse {
				if o.first != next[u] {
					err = fmt.Errorf("%w: it is number %d of its universe, expected %d", ErrProtocol, o.first, next[u])
				}
				next[u]++
			}
			if err != nil {
				return fmt.Errorf("universe of rank %d: %w", i, err)
			}
		}
	}
	m.universes = berths
	return nil
}

// leads reports whether the job that comes after berths may be in a universe: in
// none, in its own, or in that of an earlier job.
func leads(berths []berth, universe int32) bool {
	if universe == noUniverse || int(universe) == len(berths) {
		return true
	}
	return universe >= 0 && int(universe) < len(berths) && berths[universe].universe == universe
}

// InUniverse reports whether member i shares a communicator with member j, and the
// number of j in it. It is false before Settle. Does not block.
func (m *Members) InUniverse(i, j int) (MPIRank, bool) {
	if m.universes == nil {
		return 0, false
	}
	a, b := m.universes[m.Job(i)], m.universes[m.Job(j)]
	if a.universe == noUniverse || a.universe != b.universe {
		return 0, false
	}
	first, _ := m.JobRange(m.Job(j))
	return b.first + MPIRank(j-first), true
}

// Universes returns the jobs of each universe, in job order.
func (m *Members) Universes() [][]int {
	var all [][]int
	at := map[int32]int{}
	for j, b := range m.universes {
		if b.universe == noUniverse {
			continue
		}
		k, known := at[b.universe]
		if !known {
			k = len(all)
			at[b.universe] = k
			all = append(all, nil)
		}
		all[k] = append(all[k], j)
	}
	return all
}

// NotJoined returns why a job is not in a universe with others, or nothing if there
// is no reason to tell.
func (m *Members) NotJoined(job int) string {
	if m.universes == nil {
		return ""
	}
	return m.universes[job].reason
}

// apart returns why two members with the same MPI have no communicator in common,
// or nothing if they have.
func (m *Members) apart(i, j int) string {
	if _, joined := m.InUniverse(i, j); joined {
		return ""
	}
	for _, job := range [...]int{m.Job(i), m.Job(j)} {
		if reason := m.NotJoined(job); reason != "" {
			return fmt.Sprintf("job %d is not joined: %s", job, reason)
		}
	}
	return "their jobs are not joined"
}

// A message of joining is the mark, the step, and texts, each after its length in
// two bytes. An outcome is the mark, the step, the universe, the number in it and
// the reason.
var joinMark = [...]byte{'A', 'C', 'P', 'J', 'o', 'i', 'n', 1}

type joinStep byte

const (
	stepReady joinStep = 1 + iota // why the member cannot take part, and why not with other jobs, or nothing
	stepPorts                     // of a leader: why it has no ports, or nothing; the ports
	stepMet                       // of a leader: whom it could not meet
	stepOutcome
)

const (
	joinHeader  = len(joinMark) + 1
	outcomeSize = joinHeader + 8
	maxReason   = 1 << 10
)

func joinMessage(step joinStep, texts ...string) []byte {
	b := append(joinMark[:len(joinMark):len(joinMark)], byte(step))
	for _, text := range texts {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
		b = append(b, text...)
	}
	return b
}

// errJoinStep says that a member is at another step of joining.
var errJoinStep = errors.New("it does not take part in joining")

func joinBody(step joinStep, b []byte) ([]byte, error) {
	if len(b) < joinHeader || [len(joinMark)]byte(b) != joinMark || b[joinHeader-1] != byte(step) {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, errJoinStep)
	}
	return b[joinHeader:], nil
}

// joinTexts reads what joinMessage wrote, n texts or more.
func joinTexts(step joinStep, b []byte, n int) ([]string, error) {
	b, err := joinBody(step, b)
	if err != nil {
		return nil, err
	}
	var texts []string
	for len(b) > 0 {
		if len(b) < 2 || int(binary.LittleEndian.Uint16(b)) > len(b)-2 {
			return nil, fmt.Errorf("%w: a text of joining is cut off", ErrProtocol)
		}
		size := int(binary.LittleEndian.Uint16(b))
		texts, b = append(texts, string(b[2:2+size])), b[2+size:]
	}
	if len(texts) < n {
		return nil, fmt.Errorf("%w: %d texts of joining, expected %d", ErrProtocol, len(texts), n)
	}
	return texts, nil
}

// outcome is the blob of a member: its universe, its number in it, and the reason
// of its job.
func outcome(o berth) []byte {
	b := joinMessage(stepOutcome)
	b = binary.LittleEndian.AppendUint32(b, uint32(o.universe))
	b = binary.LittleEndian.AppendUint32(b, uint32(o.first))
	return append(b, o.reason[:min(len(o.reason), maxReason)]...)
}

func decodeOutcome(b []byte) (berth, error) {
	body, err := joinBody(stepOutcome, b)
	if err != nil {
		return berth{}, err
	}
	if len(body) < outcomeSize-joinHeader || len(b) > outcomeSize+maxReason {
		return berth{}, fmt.Errorf("%w: outcome of %d bytes", ErrProtocol, len(b))
	}
	return berth{
		universe: int32(binary.LittleEndian.Uint32(body)),
		first:    MPIRank(int32(binary.LittleEndian.Uint32(body[4:]))),
		reason:   string(body[8:]),
	}, nil
}
