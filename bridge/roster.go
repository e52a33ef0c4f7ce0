package bridge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// MemberState is the state of a member as another one sees it.
type MemberState uint32

// The states of members.
const (
	MemberUnknown MemberState = iota // no process has come as this member, as far as this process has received
	MemberPresent
	MemberHasLeft
	MemberIsLost
)

// Roster has the contacts of all members that this process has received: those of its own cohort and of others that
// have come. Cohorts are added, and never change apart from the states of their members. It is safe for
// concurrent use, and only Await, CatchUp and Refresh block.
type Roster struct {
	own   *Members
	parts atomic.Pointer[[]*part] // in the order of their members

	catchUp func() error // waits for the changes that other members have received

	changes atomic.Int64 // how many have been received

	mu      sync.Mutex    // taken to receive changes
	watcher func(Change)  // receives those that apply has recorded; may be nil
	grown   chan struct{} // closed, and replaced, when a cohort is added
}

// part is one cohort.
type part struct {
	*Members
	cohort int             // its number
	states []atomic.Uint32 // of guests, each a MemberState; nil for the cohort of the beginning
}

// NewRoster returns the roster of a member whose cohort has exchanged contacts, and lets it follow the changes
// of the run. Fails if a contact is malformed.
func NewRoster(boot Bootstrap, contacts [][]byte) (*Roster, error) {
	r := &Roster{grown: make(chan struct{}), catchUp: boot.CatchUp}
	r.parts.Store(&[]*part{})
	cohort := boot.Cohort()
	if cohort.Number == 0 {
		own, err := NewMembers(contacts)
		if err != nil {
			return nil, err
		}
		r.own = own
		r.add(&part{Members: own})
	}
	err := boot.Follow(func(c Change) error {
		if c.Kind == CohortArrived && c.Cohort == cohort.Number {
			c.Contacts = contacts
		}
		return r.apply(c, cohort)
	})
	if err != nil {
		return nil, err
	}
	if r.own == nil {
		return nil, fmt.Errorf("%w: contacts were exchanged, but cohort %d has not arrived", ErrProtocol, cohort.Number)
	}
	return r, nil
}

// RosterOf returns the roster of a run to which no other cohort comes.
func RosterOf(own *Members) *Roster {
	r := &Roster{own: own, grown: make(chan struct{}), catchUp: func() error { return nil }}
	r.parts.Store(&[]*part{{Members: own}})
	return r
}

// apply records a change, and passes it on.
func (r *Roster) apply(c Change, own Cohort) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Kind == CohortArrived {
		if c.Contacts == nil || r.part(c.Member) != nil || r.part(c.Member+c.Size-1) != nil {
			return fmt.Errorf("%w: cohort %d of %d ranks from rank %d on has arrived", ErrProtocol, c.Cohort, c.Size, c.Member)
		}
		members, err := NewCohort(Origin{Member: c.Member, Job: c.Job, World: c.World}, c.Contacts)
		if err != nil {
			return err
		}
		p := &part{Members: members, cohort: c.Cohort}
		if c.Cohort != 0 {
			p.states = make([]atomic.Uint32, c.Size)
			for i := range p.states {
				p.states[i].Store(uint32(MemberPresent))
			}
		}
		if c.Cohort == own.Number {
			r.own = members
		}
		r.add(p)
		close(r.grown)
		r.grown = make(chan struct{})
	} else {
		p := r.part(c.Member)
		if p == nil || p.states == nil {
			return fmt.Errorf("%w: the end of rank %d, which is no guest", ErrProtocol, c.Member)
		}
		state := MemberHasLeft
		if c.Kind == MemberLost {
			state = MemberIsLost
		}
		p.states[c.Member-p.First()].Store(uint32(state))
	}
	r.changes.Add(1)
	if r.watcher != nil {
		r.watcher(c)
	}
	return nil
}

// Changes returns how many changes of the members this process has received.
func (r *Roster) Changes() int64 { return r.changes.Load() }

// add adds a cohort.
func (r *Roster) add(p *part) {
	parts := slices.Clone(*r.parts.Load())
	n, _ := slices.BinarySearchFunc(parts, p.First(), beginsAt)
	parts = slices.Insert(parts, n, p)
	r.parts.Store(&parts)
}

func beginsAt(p *part, member int) int { return p.First() - member }

// part returns the cohort of a member, or nil.
func (r *Roster) part(member int) *part {
	parts := *r.parts.Load()
	n, found := slices.BinarySearchFunc(parts, member, beginsAt)
	if !found {
		n--
	}
	if n < 0 || member >= parts[n].First()+parts[n].Len() {
		return nil
	}
	return parts[n]
}

// Watch passes each change that is recorded from now on to f, in order. f does not block.
func (r *Roster) Watch(f func(Change)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watcher = f
}

// Own returns the cohort of this process.
func (r *Roster) Own() *Members { return r.own }

// Cohorts returns all cohorts, in the order of their members.
func (r *Roster) Cohorts() []*Members {
	var all []*Members
	for _, p := range *r.parts.Load() {
		all = append(all, p.Members)
	}
	return all
}

// CohortOf returns the cohort of a member, or nil if the member is unknown.
func (r *Roster) CohortOf(member int) *Members {
	if p := r.part(member); p != nil {
		return p.Members
	}
	return nil
}

// CohortNumber returns the number of the cohort of a member, 0 if the member is unknown.
func (r *Roster) CohortNumber(member int) int {
	if p := r.part(member); p != nil {
		return p.cohort
	}
	return 0
}

// State returns the state of a member.
func (r *Roster) State(member int) MemberState {
	p := r.part(member)
	switch {
	case p == nil:
		return MemberUnknown
	case p.states == nil:
		return MemberPresent
	}
	return MemberState(p.states[member-p.First()].Load())
}

// Describe names a member that is not unknown by rank, job, host and pid.
func (r *Roster) Describe(member int) string {
	c := r.part(member).At(member)
	return c.where()
}

// Refresh returns when this process has received all changes that another one may have received. Blocks as
// [Bootstrap.CatchUp] does.
func (r *Roster) Refresh() error { return r.catchUp() }

// CatchUp returns the state of a member after all changes so far, if it is unknown. Another process may know a guest
// before this one. Blocks as [Bootstrap.CatchUp] does.
func (r *Roster) CatchUp(member int) MemberState {
	state := r.State(member)
	if state != MemberUnknown {
		return state
	}
	if err := r.catchUp(); err != nil {
		return state
	}
	return r.State(member)
}

// Await waits until a member is not unknown. It returns the error of ctx if that ends before.
func (r *Roster) Await(ctx context.Context, member int) error {
	for {
		r.mu.Lock()
		grown := r.grown
		r.mu.Unlock()
		if r.State(member) != MemberUnknown {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
