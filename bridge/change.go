package bridge

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
)

// ChangeKind is the kind of a change of the members of a run. The numbers travel in messages.
type ChangeKind uint8

// The kinds of changes.
const (
	// CohortArrived: all members of a cohort have exchanged their contacts.
	CohortArrived ChangeKind = iota
	// MemberLeft: a guest has left in order, or a resident that does not belong to the epoch.
	MemberLeft
	// MemberLost: a guest has ended without leaving, or a resident that does not belong to the epoch.
	MemberLost
	// MemberArrived: a process of a job of the beginning has come later, and waits until it is adopted.
	MemberArrived
	// EpochBegan: the cohort of the beginning has other members.
	EpochBegan
	// MemberAsked: a member is asked to leave.
	MemberAsked
	// JoinFailed: a process that was to join the cohort of the beginning does not come.
	JoinFailed

	changeKinds
)

// Change is one change of the members of a run. The rendezvous puts all changes into one order, in which every
// member receives them.
type Change struct {
	Kind   ChangeKind
	Member int // that has left or is lost; the first one of a cohort that has arrived

	// Of a cohort that has arrived: its number, the number of its first job and of its first launcher's job, the
	// number of its members, and their contacts as they have exchanged them. Contacts is nil for the members of the
	// cohort, which have them.
	Cohort, Job, World, Size int
	Contacts                 [][]byte

	Epoch   int    // its number
	Members []int  // of the epoch, ascending
	Reason  string // why a member is lost or does not come
}

// Arrives reports whether a change brings contacts.
func (c *Change) Arrives() bool { return c.Kind == CohortArrived || c.Kind == MemberArrived }

// members returns the table of the contacts of a change that brings them.
func (c *Change) members() (*Members, error) {
	return NewCohort(Origin{Member: c.Member, Job: c.Job, World: c.World, Later: c.Kind == MemberArrived}, c.Contacts)
}

// changeHead is the length of a change before its contacts or its reason.
const changeHead = 1 + 1 + 4*6

// changeFrame returns the frame with a change. It is the kind, 1 if contacts follow and 0 otherwise, the
// numbers, and the contacts with their lengths, the members of the epoch as ranges, or the reason.
func changeFrame(c Change) ([]byte, error) {
	spans := spansOf(c.Members)
	n := changeHead + len(c.Reason) + 8*len(spans)
	for _, blob := range c.Contacts {
		n += 4 + len(blob)
	}
	if n > maxFrame {
		return nil, fmt.Errorf("contacts of %d ranks: %d bytes, at most %d are allowed", len(c.Contacts), n, maxFrame)
	}
	b := beginFrame(make([]byte, 0, frameHeader+n), frameChange)
	with := byte(0)
	if c.Contacts != nil {
		with = 1
	}
	b = append(b, byte(c.Kind), with)
	for _, v := range [...]int{c.Member, c.Cohort, c.Job, c.World, c.Size, c.Epoch} {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	for _, blob := range c.Contacts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(blob)))
		b = append(b, blob...)
	}
	for _, s := range spans {
		b = binary.LittleEndian.AppendUint32(b, uint32(s.first))
		b = binary.LittleEndian.AppendUint32(b, uint32(s.end))
	}
	return endFrame(append(b, cut(c.Reason, maxText)...)), nil
}

// span is the members first, …, end-1.
type span struct{ first, end int }

// spansOf returns ascending numbers as spans.
func spansOf(members []int) (spans []span) {
	for _, m := range members {
		if n := len(spans); n > 0 && spans[n-1].end == m {
			spans[n-1].end++
			continue
		}
		spans = append(spans, span{m, m + 1})
	}
	return spans
}

// decodeChange decodes a change in a run of so many seats. It returns slices of b.
func decodeChange(b []byte, seats int) (Change, error) {
	malformed := func(what string) (Change, error) {
		return Change{}, fmt.Errorf("%w: change of %d bytes: %s", ErrProtocol, len(b), what)
	}
	if len(b) < changeHead || b[0] >= byte(changeKinds) || b[1] > 1 {
		return malformed("no such kind")
	}
	c := Change{Kind: ChangeKind(b[0])}
	rest := b[2:]
	for _, p := range [...]*int{&c.Member, &c.Cohort, &c.Job, &c.World, &c.Size, &c.Epoch} {
		v := binary.LittleEndian.Uint32(rest)
		if v > math.MaxInt32 {
			return malformed("a number is out of range")
		}
		*p, rest = int(v), rest[4:]
	}
	if c.Kind == EpochBegan {
		if c.Members = decodeSpans(rest, seats); c.Members == nil {
			return malformed("no ascending ranks")
		}
		return c, nil
	}
	if !c.Arrives() {
		if c.Member >= seats || b[1] != 0 || len(rest) > maxText {
			return malformed(fmt.Sprintf("rank %d of %d", c.Member, seats))
		}
		c.Reason = string(rest)
		return c, nil
	}
	if c.Size < 1 || c.Member > seats-c.Size {
		return malformed(fmt.Sprintf("%d ranks from rank %d on, of %d", c.Size, c.Member, seats))
	}
	if b[1] == 0 {
		if len(rest) != 0 {
			return malformed("bytes behind its end")
		}
		return c, nil
	}
	if len(rest) < 4*c.Size {
		return malformed("contacts are cut off")
	}
	c.Contacts = make([][]byte, c.Size)
	for i := range c.Contacts {
		if len(rest) < 4 || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-4) {
			return malformed(fmt.Sprintf("the contact of rank %d is cut off", c.Member+i))
		}
		n := 4 + int(binary.LittleEndian.Uint32(rest))
		c.Contacts[i], rest = rest[4:n:n], rest[n:]
	}
	if len(rest) != 0 {
		return malformed("bytes behind its end")
	}
	return c, nil
}

// decodeSpans returns the members of spans in a run of so many seats, nil if they are malformed.
func decodeSpans(b []byte, seats int) (members []int) {
	if len(b)%8 != 0 {
		return nil
	}
	for next := 0; len(b) > 0; b = b[8:] {
		first, end := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		if int64(first) < int64(next) || end <= first || int64(end) > int64(seats) {
			return nil
		}
		for m := int(first); m < int(end); m++ {
			members = append(members, m)
		}
		next = int(end) + 1
	}
	return members
}

// changes passes the changes that a member receives to its function of Follow.
type changes struct {
	mu     sync.Mutex
	early  []Change // those that have come before Follow
	follow func(Change) error

	asking  sync.Mutex      // held while a request is sent and entered in pending
	pending []chan struct{} // of calls of CatchUp, in the order of their requests; guarded by mu
}

// add takes the next change.
func (x *changes) add(c Change) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.follow == nil {
		x.early = append(x.early, c)
		return nil
	}
	return x.follow(c)
}

// caughtUp ends the first of the calls of CatchUp.
func (x *changes) caughtUp() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.pending) == 0 {
		return fmt.Errorf("%w: an answer without a question", ErrProtocol)
	}
	close(x.pending[0])
	x.pending = x.pending[1:]
	return nil
}

// CatchUp implements Bootstrap.
func (c *client) CatchUp(ctx context.Context) error {
	x, done := &c.following, make(chan struct{})
	x.asking.Lock()
	x.mu.Lock()
	x.pending = append(x.pending, done)
	x.mu.Unlock()
	err := c.send(emptyFrame(frameCatchUp))
	x.asking.Unlock()
	if err != nil {
		<-c.gone
		return c.lossOr(err)
	}
	select {
	case <-done:
		return nil
	case <-c.gone:
		return c.lossOr(ErrClosed)
	case <-ctx.Done():
		return ctx.Err() // the answer ends nothing
	}
}

// Follow implements Bootstrap.
func (c *client) Follow(f func(Change) error) error {
	x := &c.following
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, change := range x.early {
		if err := f(change); err != nil {
			return err
		}
	}
	x.early, x.follow = nil, f
	return nil
}
