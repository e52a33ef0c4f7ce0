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
	MemberWaiting // it has come later and waits to be adopted
	MemberHasLeft
	MemberIsLost
)

// Roster has the contacts of all members that this process has received: those of its own cohort and of others that
// have come. Processes that have come together are a part of it. Parts are added, and never change apart from the states of their
// members. It is safe for concurrent use, and only Await, CatchUp and Refresh block.
type Roster struct {
	own    *Members
	parts  atomic.Pointer[[]*part] // in the order of their members
	epoch  atomic.Pointer[Epoch]   // of the cohort of this process
	cohort int                     // its number
	limit  int                     // members that the cohort of the beginning can have; 0: it is fixed

	catchUp func(ctx context.Context) error // waits for the changes that other members have received

	changes atomic.Int64                // how many have been received
	failed  atomic.Pointer[FailedJoins] // nil: none

	mu      sync.Mutex                   // taken to receive changes
	coming  func(cohort int, m *Members) // receives the contacts of processes before they are recorded; may be nil
	watcher func(c Change, gone []int)   // receives those that apply has recorded; may be nil
	grown   chan struct{}                // closed, and replaced, when a part is added
}

// part is processes that have come together: a cohort, or a process of the cohort of the beginning that has come later.
type part struct {
	*Members
	cohort int      // its number
	states []status // nil for the cohort of the beginning before its first epoch
}

// status is the state of one member.
type status struct {
	state atomic.Uint32 // a MemberState
	asked atomic.Bool   // it is asked to leave
}

// FailedJoins is the processes that were to join the cohort of the beginning and have not come, or have ended while they waited.
type FailedJoins struct {
	Count  int
	Reason string // of the last one
}

// Epoch is the members that call collective functions together, between two changes. It does not change.
type Epoch struct {
	first, size int
	list        []int // ascending; nil: first, first+1, …
}

// epochOf returns the first epoch of the members of a table.
func epochOf(m *Members) *Epoch { return &Epoch{first: m.First(), size: m.Len()} }

// Len returns the number of members.
func (e *Epoch) Len() int { return e.size }

// Member returns member i, 0 ≤ i < Len, in ascending order.
func (e *Epoch) Member(i int) int {
	if e.list != nil {
		return e.list[i]
	}
	return e.first + i
}

// Find returns the number of a member among those of the epoch, and whether it belongs to them.
func (e *Epoch) Find(member int) (i int, found bool) {
	if e.list != nil {
		return slices.BinarySearch(e.list, member)
	}
	return member - e.first, e.first <= member && member < e.first+e.size
}

// Members returns all members in ascending order. The slice belongs to the caller.
func (e *Epoch) Members() []int {
	members := make([]int, e.size)
	for i := range members {
		members[i] = e.Member(i)
	}
	return members
}

// NewRoster returns the roster of a member whose cohort has exchanged contacts, and lets it follow the changes
// of the run. Fails if a contact is malformed.
func NewRoster(boot Bootstrap, contacts [][]byte) (*Roster, error) {
	cohort := boot.Cohort()
	r := &Roster{grown: make(chan struct{}), catchUp: boot.CatchUp, cohort: cohort.Number}
	if c, ok := boot.(*client); ok {
		r.limit = c.limit
	}
	r.parts.Store(&[]*part{})
	if cohort.Number == 0 && !cohort.Newcomer() {
		own, err := NewMembers(contacts)
		if err != nil {
			return nil, err
		}
		r.own = own
		r.epoch.Store(epochOf(own))
		r.add(&part{Members: own})
	}
	err := boot.Follow(func(c Change) error {
		if c.Arrives() && c.Member == cohort.First {
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
	r := &Roster{own: own, grown: make(chan struct{}), catchUp: func(context.Context) error { return nil }}
	r.parts.Store(&[]*part{{Members: own}})
	r.epoch.Store(epochOf(own))
	return r
}

// apply records a change, and passes it on.
func (r *Roster) apply(c Change, own Cohort) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var gone []int
	var err error
	switch {
	case c.Arrives():
		err = r.arrive(c, own)
	case c.Kind == EpochBegan:
		gone, err = r.beginEpoch(c)
	case c.Kind == JoinFailed:
		r.joinFailed(c)
	default:
		gone, err = r.change(c)
	}
	if err != nil {
		return err
	}
	r.changes.Add(1)
	if r.watcher != nil {
		r.watcher(c, gone)
	}
	return nil
}

// arrive records processes that have come together.
func (r *Roster) arrive(c Change, own Cohort) error {
	if c.Contacts == nil || r.part(c.Member) != nil || r.part(c.Member+c.Size-1) != nil {
		return fmt.Errorf("%w: cohort %d of %d ranks from rank %d on has arrived", ErrProtocol, c.Cohort, c.Size, c.Member)
	}
	members, err := c.members()
	if err != nil {
		return err
	}
	p := &part{Members: members, cohort: c.Cohort}
	if c.Cohort != 0 || c.Kind == MemberArrived {
		p.states = make([]status, c.Size)
		for i := range p.states {
			p.states[i].state.Store(uint32(MemberPresent))
			if c.Kind == MemberArrived {
				p.states[i].state.Store(uint32(MemberWaiting))
			}
		}
	}
	if c.Member == own.First {
		r.own = members
		r.epoch.Store(epochOf(members))
	} else if r.coming != nil {
		r.coming(c.Cohort, members)
	}
	r.add(p)
	close(r.grown)
	r.grown = make(chan struct{})
	return nil
}

// beginEpoch records that the cohort of the beginning has other members. It returns those that belong to it no longer: they have
// left.
func (r *Roster) beginEpoch(c Change) (gone []int, err error) {
	e := &Epoch{first: c.Members[0], size: len(c.Members), list: c.Members}
	for _, m := range e.list {
		if p := r.part(m); p == nil || p.cohort != 0 {
			return nil, fmt.Errorf("%w: epoch %d with rank %d", ErrProtocol, c.Epoch, m)
		}
	}
	for _, p := range *r.parts.Load() {
		if p.cohort != 0 {
			continue
		}
		p = r.withStates(p)
		for k := range p.states {
			state := &p.states[k].state
			_, belongs := e.Find(p.First() + k)
			switch now := MemberState(state.Load()); {
			case belongs:
				state.Store(uint32(MemberPresent))
			case now == MemberPresent:
				state.Store(uint32(MemberHasLeft))
				gone = append(gone, p.First()+k)
			}
		}
	}
	if r.cohort == 0 {
		r.epoch.Store(e)
	}
	return gone, nil
}

// change records the change of a member. It returns the member if it was present or waited, and is gone.
func (r *Roster) change(c Change) (gone []int, err error) {
	p := r.part(c.Member)
	if p == nil || p.states == nil && c.Kind != MemberAsked {
		return nil, fmt.Errorf("%w: the end of rank %d, which is no guest", ErrProtocol, c.Member)
	}
	if c.Kind == MemberAsked {
		r.withStates(p).states[c.Member-p.First()].asked.Store(true)
		return nil, nil
	}
	state := &p.states[c.Member-p.First()].state
	switch MemberState(state.Load()) {
	case MemberHasLeft:
		return nil, nil // its epoch before its process
	case MemberWaiting:
		r.joinFailed(c)
	}
	if state.Store(uint32(MemberHasLeft)); c.Kind == MemberLost {
		state.Store(uint32(MemberIsLost))
	}
	return []int{c.Member}, nil
}

// joinFailed records that a process does not join. The caller holds the lock.
func (r *Roster) joinFailed(c Change) {
	r.failed.Store(&FailedJoins{r.FailedJoins().Count + 1, c.Reason})
}

// FailedJoins returns how many processes have not joined, as far as this process has received.
func (r *Roster) FailedJoins() FailedJoins {
	if f := r.failed.Load(); f != nil {
		return *f
	}
	return FailedJoins{}
}

// withStates returns a part whose members have states, and replaces p by it if p has none. All members of p are present.
func (r *Roster) withStates(p *part) *part {
	if p.states != nil {
		return p
	}
	with := &part{Members: p.Members, cohort: p.cohort, states: make([]status, p.Len())}
	for k := range with.states {
		with.states[k].state.Store(uint32(MemberPresent))
	}
	parts := slices.Clone(*r.parts.Load())
	parts[slices.Index(parts, p)] = with
	r.parts.Store(&parts)
	return with
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

// Watch passes each change that is recorded from now on to f, in order, with the members that have left or are lost by it. f
// does not block.
func (r *Roster) Watch(f func(c Change, gone []int)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watcher = f
}

// Prepare passes the contacts of processes that come from now on to f, before other goroutines find them in the roster, with
// the number of their cohort. f does not block, and calls no method of the roster that receives changes.
func (r *Roster) Prepare(f func(cohort int, m *Members)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.coming = f
}

// Own returns the processes that have started together with this one.
func (r *Roster) Own() *Members { return r.own }

// Epoch returns the epoch of the cohort of this process.
func (r *Roster) Epoch() *Epoch { return r.epoch.Load() }

// HasGuests reports whether a member of another cohort is present, as far as this process has received.
func (r *Roster) HasGuests() bool {
	for _, p := range *r.parts.Load() {
		if p.cohort == r.cohort {
			continue
		}
		for i := range p.Len() {
			if r.State(p.First()+i) == MemberPresent {
				return true
			}
		}
	}
	return false
}

// Elastic reports whether members can join and leave the cohort of the beginning.
func (r *Roster) Elastic() bool { return r.limit > 0 }

// Permanent returns how many members, the first ones, stay until the end of the run.
func (r *Roster) Permanent() int {
	if r.Elastic() {
		return 1
	}
	return r.CohortOf(0).Len()
}

// Waiting reports whether a process waits to be adopted, as far as this process has received.
func (r *Roster) Waiting() bool {
	for _, p := range *r.parts.Load() {
		for i := range p.states {
			if MemberState(p.states[i].state.Load()) == MemberWaiting {
				return true
			}
		}
	}
	return false
}

// JobMembers returns the members of a job of the cohort of the beginning that belong to the epoch now, ascending.
func (r *Roster) JobMembers(job int) []int {
	var members []int
	for _, p := range *r.parts.Load() {
		if p.cohort != 0 {
			continue
		}
		for i := range p.Len() {
			m := p.First() + i
			if p.Job(m) == job && (p.states == nil || MemberState(p.states[i].state.Load()) == MemberPresent) {
				members = append(members, m)
			}
		}
	}
	return members
}

// Asked reports whether a member is asked to leave.
func (r *Roster) Asked(member int) bool {
	p := r.part(member)
	return p != nil && p.states != nil && p.states[member-p.First()].asked.Load()
}

// Cohorts returns the tables of all processes that have come, each with those that have come together, in the order of
// their members.
func (r *Roster) Cohorts() []*Members {
	var all []*Members
	for _, p := range *r.parts.Load() {
		all = append(all, p.Members)
	}
	return all
}

// CohortOf returns the table that has a member, or nil if the member is unknown.
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
	return MemberState(p.states[member-p.First()].state.Load())
}

// Route chooses the fabric between two members that are known, as [Members.Route] does for members that have come together.
// Others share no communicator of MPI.
func (r *Roster) Route(i, j int) (route Route, refused []Refusal, err error) {
	p, q := r.part(i), r.part(j)
	if p.Members == q.Members {
		return p.Route(i, j)
	}
	return RouteBetween(p.At(i), q.At(j))
}

// RouteBetween chooses the fabric between two members that have not come together. Results and errors are those of
// [ChooseRoute].
func RouteBetween(a, b Contact) (route Route, refused []Refusal, err error) {
	return ChooseRoute(PairMode(a.Mode, b.Mode), &a, &b, func() string { return "they have not started together" })
}

// Describe names a member that is not unknown by rank, job, host and pid.
func (r *Roster) Describe(member int) string {
	c := r.part(member).At(member)
	return c.where()
}

// Refresh returns when this process has received all changes that another one may have received. Blocks as
// [Bootstrap.CatchUp] does, and fails as it does.
func (r *Roster) Refresh(ctx context.Context) error { return r.catchUp(ctx) }

// CatchUp returns the state of a member after all changes so far, if it is unknown. Another process may know a guest
// before this one. Blocks as [Bootstrap.CatchUp] does.
func (r *Roster) CatchUp(member int) MemberState {
	state := r.State(member)
	if state != MemberUnknown {
		return state
	}
	if err := r.catchUp(context.Background()); err != nil {
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
