package bridge

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// This file decides, without MPI, which jobs form a universe, and encodes and decodes the messages of the
// members about it.

// MPIRank is the number of a process in the communicator of its universe.
type MPIRank int

// placement is the place of a job in a universe.
type placement struct {
	universe int32   // first job of the universe; noUniverse: the job is in none
	first    MPIRank // of the first process of the job; the others follow
	reason   string  // why the job is not in a universe with others that have the same MPI, or nothing
}

const noUniverse = -1

// MayJoin reports whether some members are to have a common communicator, because windows of
// MPI may serve them. Then [Join] records the result with [Members.Settle]. All members come
// to the same result. Pure.
func (m *Members) MayJoin() bool {
	groups, _ := m.groups()
	return len(groups) > 0
}

// groups returns the jobs that are to become universes. The jobs of a group are in order and have one MPI. A
// group may have one job. reasons has the reason for each job that is in no group.
func (m *Members) groups() (groups [][]int, reasons []string) {
	reasons = make([]string, m.Worlds())
	if m.origin != (Origin{}) {
		for j := range reasons {
			reasons[j] = "it has attached to the run"
		}
		return nil, reasons
	}
	byLibrary := make([][]int, len(m.libraries))
	for j := range m.Worlds() {
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

// jobLibrary returns the MPI that all members of a job have, or the reason why there is none.
func (m *Members) jobLibrary(job int) (library uint32, reason string) {
	first, end := m.WorldRange(job)
	library = m.kindOf(first).library
	asks := false
	for i := first; i < end; i++ {
		k := m.kindOf(i)
		switch {
		case k.library == 0:
			return 0, fmt.Sprintf("rank %d has no MPI", i)
		case k.library != library:
			return 0, fmt.Sprintf("rank %d has %s, rank %d %s", first, m.libraries[library], i, m.libraries[k.library])
		}
		asks = asks || k.mode == ModeAuto || k.mode.NeedsWindows()
	}
	if !asks {
		return 0, fmt.Sprintf("it asks for network %v", m.kindOf(first).mode)
	}
	return library, ""
}

// worthwhile reports whether windows of MPI may serve a pair of members of jobs: one of them
// allows nothing else, or both are on different hosts with RDMA hardware.
func (m *Members) worthwhile(jobs []int) bool {
	var hostID *HostID
	for _, j := range jobs {
		first, end := m.WorldRange(j)
		for i := first; i < end; i++ {
			k := m.kindOf(i)
			id := &m.hosts[k.host].id
			switch {
			case k.mode.NeedsWindows():
				return true
			case k.mode != ModeAuto || !k.rdma.Usable():
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
	placements := make([]placement, m.Worlds())
	next := make([]MPIRank, m.Worlds()) // by universe
	for j := range placements {
		first, end := m.WorldRange(j)
		for i := first; i < end; i++ {
			o, err := decodeOutcome(blobs[i])
			switch {
			case err != nil:
			case i == first && leads(placements[:j], o.universe):
				placements[j] = o
			case i == first:
				err = fmt.Errorf("%w: there is no universe %d", ErrProtocol, o.universe)
			case o.universe != placements[j].universe:
				err = fmt.Errorf("%w: it is in another universe than rank %d", ErrProtocol, first)
			}
			if u := placements[j].universe; err == nil && u != noUniverse {
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
	m.universes = placements
	return nil
}

// leads reports whether the next job, behind those of placements, may be in a universe: in none,
// in its own, or in that of an earlier job.
func leads(placements []placement, universe int32) bool {
	if universe == noUniverse || int(universe) == len(placements) {
		return true
	}
	return universe >= 0 && int(universe) < len(placements) && placements[universe].universe == universe
}

// InUniverse reports whether members i and j share a communicator, and returns the number of j
// in it. Before Settle it returns false. Does not block.
func (m *Members) InUniverse(i, j int) (MPIRank, bool) {
	if m.universes == nil {
		return 0, false
	}
	a, b := m.universes[m.World(i)], m.universes[m.World(j)]
	if a.universe == noUniverse || a.universe != b.universe {
		return 0, false
	}
	first, _ := m.WorldRange(m.World(j))
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

// NotJoined returns why a job is not in a universe with others. It returns "" if there is
// nothing to report.
func (m *Members) NotJoined(job int) string {
	if m.universes == nil {
		return ""
	}
	return m.universes[job].reason
}

// apart returns why two members with the same MPI have no common communicator, or "" if they
// have one.
func (m *Members) apart(i, j int) string {
	if _, joined := m.InUniverse(i, j); joined {
		return ""
	}
	for _, job := range [...]int{m.World(i), m.World(j)} {
		if reason := m.NotJoined(job); reason != "" {
			return fmt.Sprintf("job %d is not joined: %s", job, reason)
		}
	}
	return "their jobs are not joined"
}

// A message of joining is the mark, the step, and texts, each behind its length in two bytes.
// An outcome is the mark, the step, the universe, the number in it, and the reason.
var joinMark = [...]byte{'A', 'C', 'P', 'J', 'o', 'i', 'n', 1}

type joinStep byte

const (
	stepReady   joinStep = 1 + iota // reasons why the member cannot take part at all, and not with other jobs; each may be empty
	stepPorts                       // of a leader: the reason why it has no ports, or ""; the ports
	stepReached                     // of a leader: the leaders that it could not reach
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

// joinTexts decodes what joinMessage has encoded: n texts or more.
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

// outcome is the last message of a member: its universe, its number in it, and the reason of
// its job.
func outcome(o placement) []byte {
	b := joinMessage(stepOutcome)
	b = binary.LittleEndian.AppendUint32(b, uint32(o.universe))
	b = binary.LittleEndian.AppendUint32(b, uint32(o.first))
	return append(b, o.reason[:min(len(o.reason), maxReason)]...)
}

func decodeOutcome(b []byte) (placement, error) {
	body, err := joinBody(stepOutcome, b)
	if err != nil {
		return placement{}, err
	}
	if len(body) < outcomeSize-joinHeader || len(b) > outcomeSize+maxReason {
		return placement{}, fmt.Errorf("%w: outcome of %d bytes", ErrProtocol, len(b))
	}
	return placement{
		universe: int32(binary.LittleEndian.Uint32(body)),
		first:    MPIRank(int32(binary.LittleEndian.Uint32(body[4:]))),
		reason:   string(body[8:]),
	}, nil
}
