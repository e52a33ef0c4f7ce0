package bridge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// party of a test: one cohort with its processes, as they are expected to be.
type testCohort struct {
	guests  *Guests // nil for the residents
	events  chan Event
	first   int
	arrived bool
	members []Bootstrap
	rosters []*Roster
	states  []MemberState
}

// history is a run with guests that come and go.
type history struct {
	*run
	residents *testCohort
	cohorts   []*testCohort // all, in the order of their seats
}

// newHistory starts a run of some residents that has room for guests.
func newHistory(t *testing.T, residents, guests int) *history {
	t.Helper()
	r := newRunOf(t, ServerConfig{Jobs: []Job{{Name: "ocean", Size: residents}}, Guests: guests})
	h := &history{run: r}
	h.residents = &testCohort{}
	h.cohorts = []*testCohort{h.residents}
	h.join(h.residents, 0, residents)
	h.exchangeContacts(h.residents)
	return h
}

// join lets the processes of a job join.
func (h *history) join(c *testCohort, job, size int) {
	h.t.Helper()
	for i := range size {
		c.members = append(c.members, h.dial(job, i))
		c.states = append(c.states, MemberUnknown)
	}
	c.first = c.members[0].Cohort().First
	for i, b := range c.members {
		if want := (Cohort{c.number(h), c.first, size}); b.Member() != c.first+i || b.Cohort() != want {
			h.t.Fatalf("member %d of %+v, expected %d of %+v", b.Member(), b.Cohort(), c.first+i, want)
		}
	}
}

func (c *testCohort) number(h *history) int {
	for i, x := range h.cohorts {
		if x == c {
			return i
		}
	}
	return -1
}

// exchangeContacts lets a cohort arrive.
func (h *history) exchangeContacts(c *testCohort) {
	h.t.Helper()
	c.rosters = make([]*Roster, len(c.members))
	job, _ := c.members[0].JobRank()
	err := h.together(c, func(i int, b Bootstrap) error {
		contact := Contact{Member: uint32(b.Member()), Job: uint32(job), JobRank: uint32(i), JobName: fmt.Sprintf("job%d", job), HostName: "h", Base: uint64(b.Member()) << 20}
		blobs, err := b.Exchange(h.ctx(), contact.Append(nil))
		if err == nil {
			c.rosters[i], err = NewRoster(b, blobs)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	c.arrived = true
	for i := range c.states {
		c.states[i] = MemberPresent
	}
}

// together runs f for all members of a cohort at once.
func (h *history) together(c *testCohort, f func(i int, b Bootstrap) error) error {
	errs := make([]error, len(c.members))
	var all sync.WaitGroup
	for i, b := range c.members {
		all.Go(func() { errs[i] = f(i, b) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// attach lets the processes of a new job join, without exchanging contacts.
func (h *history) attach(size int) *testCohort {
	h.t.Helper()
	c := &testCohort{events: make(chan Event, 1000)}
	var err error
	if c.guests, err = h.server.Attach([]GuestJob{{Job: Job{Name: fmt.Sprintf("viewer%d", len(h.cohorts)), Size: size}}}, func(e Event) { c.events <- e }); err != nil {
		h.t.Fatal(err)
	}
	h.cohorts = append(h.cohorts, c)
	h.join(c, c.guests.Job(), size)
	if c.first != c.guests.First() {
		h.t.Errorf("the first member is %d, expected %d", c.first, c.guests.First())
	}
	return c
}

// over records that a cohort has ended: those of its members that have not left are lost.
func (c *testCohort) over() {
	for i := range c.states {
		if c.states[i] != MemberHasLeft {
			c.states[i] = MemberIsLost
		}
	}
}

func (c *testCohort) live() bool { return c.states[0] == MemberPresent }

// check waits until the rosters of all live members show the states of all that they were told of.
func (h *history) check() {
	h.t.Helper()
	deadline := time.Now().Add(limit)
	for {
		wrong := h.difference()
		if wrong == "" {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatal(wrong)
		}
		time.Sleep(time.Millisecond)
	}
}

// difference returns how a roster differs from what it should be, or "".
func (h *history) difference() string {
	for _, own := range h.cohorts {
		if !own.arrived || !own.live() {
			continue
		}
		for i, r := range own.rosters {
			if err := own.members[i].Err(); err != nil {
				return fmt.Sprintf("rank %d: %v", own.first+i, err)
			}
			for _, c := range h.cohorts {
				for k, want := range c.states {
					member := c.first + k
					got := r.State(member)
					switch {
					case !c.arrived:
						want = MemberUnknown
					case got == MemberUnknown && want != MemberPresent && !c.live():
						continue // all of the cohort had gone before this member came
					}
					if got != want {
						return fmt.Sprintf("rank %d: the state of rank %d is %d, expected %d", own.first+i, member, got, want)
					}
					if got != MemberUnknown && r.CohortOf(member).Base(member) != uint64(member)<<20 {
						return fmt.Sprintf("rank %d: wrong contact of rank %d", own.first+i, member)
					}
				}
			}
		}
	}
	return ""
}

// TestGuestHistories lets guests attach, exchange, leave and die in random order, and compares what all members
// learn of each other with a model.
func TestGuestHistories(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	h := newHistory(t, 2, 1000)
	jobs := map[int]string{0: "job0"}
	newest := 0 // number of the job that has arrived last
	for range 200 {
		var live, waiting []*testCohort
		for _, c := range h.cohorts[1:] {
			switch {
			case c.live():
				live = append(live, c)
			case !c.arrived && c.states[0] == MemberUnknown:
				waiting = append(waiting, c)
			}
		}
		switch op := r.IntN(8); {
		case op < 2 && len(live)+len(waiting) < 12:
			h.attach(1 + r.IntN(3))
		case op < 4 && len(waiting) > 0:
			c := waiting[r.IntN(len(waiting))]
			h.exchangeContacts(c)
			newest = c.rosters[0].Own().FirstJob()
			jobs[newest] = c.rosters[0].Own().JobName(newest)
		case op == 4 && len(waiting) > 0: // a process dies before its cohort has arrived
			c := waiting[r.IntN(len(waiting))]
			vanish(c.members[r.IntN(len(c.members))])
			c.over()
		case op == 5 && len(live) > 0:
			c := live[r.IntN(len(live))]
			if err := h.together(c, func(_ int, b Bootstrap) error { return b.Close() }); err != nil {
				t.Error(err)
			}
			for i := range c.states {
				c.states[i] = MemberHasLeft
			}
		case op == 6 && len(live) > 0:
			c := live[r.IntN(len(live))]
			i := r.IntN(len(c.members))
			switch r.IntN(3) {
			case 0:
				vanish(c.members[i])
			case 1:
				c.members[i].Abort(Abort{Reason: "no ice"})
			case 2:
				c.guests.Close()
			}
			for _, b := range c.members {
				expectLost(t, b)
				vanish(b)
			}
			c.over()
		default:
			c := h.residents
			if len(live) > 0 && r.IntN(2) == 0 {
				c = live[r.IntN(len(live))]
			}
			want := fmt.Sprint("of cohort ", c.number(h))
			err := h.together(c, func(_ int, b Bootstrap) error {
				blobs, err := b.Exchange(h.ctx(), []byte(want))
				if len(blobs) != len(c.members) || string(blobs[len(blobs)-1]) != want {
					err = fmt.Errorf("%q, %w", blobs, err)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		h.check()
	}
	if len(jobs) != newest+1 {
		t.Errorf("%d jobs have arrived, the last one is %d", len(jobs), newest)
	}
}

// TestGuestLeavesBeforeArrival: the members of the run learn that a guest has left which has given its contact before the last one of
// its job has.
func TestGuestLeavesBeforeArrival(t *testing.T) {
	h := newHistory(t, 1, 4)
	c := h.attach(2)
	contact := func(i int) []byte {
		k := Contact{Member: uint32(c.first + i), Job: 1, JobRank: uint32(i), JobName: "viewer", HostName: "h"}
		return k.Append(nil)
	}
	first := c.members[0].(*client)
	if err := errors.Join(first.send(exchangeFrame(0, contact(0))), first.send(emptyFrame(frameLeave))); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(limit)
	for left := false; !left; {
		select {
		case e := <-c.events:
			left = e.Kind == Left && e.Member == c.first
		case <-deadline:
			t.Fatal("the guest has not left")
		}
	}
	if _, err := c.members[1].Exchange(h.ctx(), contact(1)); err != nil {
		t.Fatal(err)
	}
	roster := h.residents.rosters[0]
	for began := time.Now(); roster.State(c.first) != MemberHasLeft || roster.State(c.first+1) != MemberPresent; time.Sleep(time.Millisecond) {
		if time.Since(began) > limit {
			t.Fatalf("the guests are in the states %d and %d, expected %d and %d", roster.State(c.first), roster.State(c.first+1), MemberHasLeft, MemberPresent)
		}
	}
}

// TestGuestsEndWithRun ends a run in several ways. Its guests end, too.
func TestGuestsEndWithRun(t *testing.T) {
	for want, end := range map[string]func(h *history){
		"rank 1 (job 0 ocean, host host0, pid 1001) died": func(h *history) { vanish(h.residents.members[1]) },
		"told to": func(h *history) { h.server.Abort("told to") },
		"the run to which they have attached has ended": func(h *history) {
			for _, b := range h.residents.members {
				if err := b.Close(); err != nil {
					h.t.Error(err)
				}
			}
		},
		"connection to the launcher lost": func(h *history) { h.server.Close() },
	} {
		h := newHistory(t, 2, 2)
		c := h.attach(1)
		h.exchangeContacts(c)
		late := h.attach(1)
		end(h)
		for _, b := range []Bootstrap{c.members[0], late.members[0]} {
			if err := expectLost(t, b); !strings.Contains(err.Error(), want) {
				t.Errorf("ended with %v, expected %q", err, want)
			}
		}
		if _, err := h.server.Attach([]GuestJob{{Job: Job{Size: 1}}}, nil); err == nil {
			t.Errorf("%s: a job has attached afterwards", want)
		}
	}
}

// named returns jobs of guests whose names the user has given.
func named(jobs []Job) (guests []GuestJob) {
	for _, job := range jobs {
		guests = append(guests, GuestJob{Job: job})
	}
	return guests
}

// TestDerivedNames: a name that a launcher has derived from the program gets a number if another job has or had it.
func TestDerivedNames(t *testing.T) {
	h := newHistory(t, 1, 8)
	for _, want := range [][]string{{"ocean-2", "viewer"}, {"ocean-3", "viewer-2"}} {
		g, err := h.server.Attach([]GuestJob{{Job{Name: "ocean", Size: 1}, true}, {Job{Name: "viewer", Size: 2}, true}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if names := g.Names(); !slices.Equal(names, want) {
			t.Errorf("names %v, expected %v", names, want)
		}
		g.Close()
	}
}

// TestReservedSeats: seats of processes of the run that may come later are none for guests, and the error does not count them.
func TestReservedSeats(t *testing.T) {
	r := newRunOf(t, ServerConfig{Jobs: []Job{{Size: 1, Max: 8}}, Guests: 3})
	s := r.server
	s.mu.Lock()
	s.members.arrivals = []*arrival{{}} // the ranks have joined
	s.mu.Unlock()
	_, err := s.Attach([]GuestJob{{Job: Job{Size: 4}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "no seats for 4 processes: 3 of the 3 seats for guests can still be given out") {
		t.Errorf("four guests: %v", err)
	}
}

// TestAttachRefused asks for seats that there are not.
func TestAttachRefused(t *testing.T) {
	r := newRunOf(t, ServerConfig{Jobs: []Job{{Size: 1}}, Guests: 2})
	if _, err := r.server.Attach([]GuestJob{{Job: Job{Size: 1}}}, nil); !errors.Is(err, ErrStarting) {
		t.Errorf("before the beginning is complete: %v", err)
	}
	h := newHistory(t, 1, 2)
	for _, jobs := range [][]Job{nil, {{Size: 0}}, {{Size: 3}}, {{Size: 1}, {Size: 2}}} {
		if _, err := h.server.Attach(named(jobs), nil); err == nil {
			t.Errorf("jobs %v have attached", jobs)
		}
	}
	for want, jobs := range map[string][]Job{
		"the run has a job with the name ocean": {{Name: "ocean", Size: 1}},
		"two jobs have the name air":            {{Name: "air", Size: 1}, {Name: "air", Size: 1}},
	} {
		if _, err := h.server.Attach(named(jobs), nil); err == nil || err.Error() != want {
			t.Errorf("jobs %v: %v, expected %q", jobs, err, want)
		}
	}
	if _, err := h.server.Attach([]GuestJob{{Job: Job{Size: 2}}}, nil); err != nil {
		t.Error(err)
	}
	if _, err := h.server.Attach([]GuestJob{{Job: Job{Size: 1}}}, nil); err == nil || !strings.Contains(err.Error(), "0 of the 2 seats for guests can still be given out") {
		t.Errorf("a third guest: %v", err)
	}
	if _, err := Listen(ServerConfig{Jobs: []Job{{Size: 1}}, Guests: -1, Listen: []string{"127.0.0.1:0"}}); err == nil {
		t.Error("a server with -1 guests")
	}
}

// TestNameOfGuestIsFree: a job can have the name of one whose processes have ended.
func TestNameOfGuestIsFree(t *testing.T) {
	h := newHistory(t, 1, 4)
	for i := range 2 {
		g, err := h.server.Attach([]GuestJob{{Job: Job{Name: "viewer", Size: 1}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.server.Attach([]GuestJob{{Job: Job{Name: "viewer", Size: 1}}}, nil); err == nil {
			t.Error("two viewers at the same time")
		}
		if i == 0 {
			g.Close()
			continue
		}
		if err := h.dial(g.Job(), 0).Close(); err != nil {
			t.Error(err)
		}
		h.residents.members[0].Close()
	}
}

// TestNoGuestsBesideWindows: a run whose ranks reach each other by windows of MPI takes no guests.
func TestNoGuestsBesideWindows(t *testing.T) {
	r := newRunOf(t, ServerConfig{Jobs: []Job{{Size: 1}}, Guests: 1})
	contact := Contact{Mode: ModeRMA}
	if _, err := r.dial(0, 0).Exchange(r.ctx(), contact.Append(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.server.Attach([]GuestJob{{Job: Job{Size: 1}}}, nil); err == nil || !strings.Contains(err.Error(), "-net rma") {
		t.Errorf("a guest: %v", err)
	}
}

// TestMalformedGuest: a guest whose contact is malformed ends its own cohort alone.
func TestMalformedGuest(t *testing.T) {
	h := newHistory(t, 1, 4)
	c := h.attach(1)
	contact := Contact{Member: 7} // has another number
	if _, err := c.members[0].Exchange(h.ctx(), contact.Append(nil)); err == nil || !strings.Contains(err.Error(), "contact of rank 1: malformed contact: it calls itself rank 7") {
		t.Errorf("exchange: %v", err)
	}
	vanish(c.members[0])
	c.over()
	h.exchangeContacts(h.attach(1))
	h.check() // the resident has received all changes, and goes on
	if _, err := h.residents.members[0].Exchange(h.ctx(), nil); err != nil {
		t.Errorf("exchange of the resident: %v", err)
	}
}
