package bridge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// elasticRun returns the membership of a run of two jobs, of which the first can grow from 2 to 7. All have joined and exchanged
// their contacts.
func elasticRun(t *testing.T) *membership {
	t.Helper()
	m := newMembership([]Job{{Name: "solver", Size: 2, Max: 7}, {Name: "air", Size: 1}}, 3)
	contacts := [][]byte{}
	for i, h := range []hello{{}, {jobRank: 1}, {job: 1}} {
		if member, reason := m.join(h, nil); member != i {
			t.Fatalf("member %d became %d: %s", i, member, reason)
		}
		contacts = append(contacts, (&Contact{Member: uint32(i), Job: h.job, JobRank: uint32(h.jobRank)}).Append(nil))
	}
	m.cohorts[0].contacts = contacts
	if _, err := m.arrive(m.cohorts[0]); err != nil {
		t.Fatal(err)
	}
	return m
}

// comes lets the process of an admitted member join and send its contact.
func comes(t *testing.T, m *membership, member, jobRank int) {
	t.Helper()
	if got, reason := m.join(hello{jobRank: int32(jobRank)}, nil); got != member {
		t.Fatalf("member %d became %d: %s", member, got, reason)
	}
	c := m.cohortOf(member)
	c.contacts = [][]byte{(&Contact{Member: uint32(member), JobRank: uint32(jobRank)}).Append(nil)}
	change, err := m.arrive(c)
	if err != nil || change.Kind != MemberArrived || change.Job != 0 || change.Member != member || c.arrived {
		t.Fatalf("%+v, %v", change, err)
	}
}

// serves lets a process that has come announce that it serves others.
func serves(m *membership, member int) {
	c := m.cohortOf(member)
	m.announce(c, *c.arrival)
}

// TestEpochs compares random epochs with a model: a set of members, and processes that wait.
func TestEpochs(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		m := elasticRun(t)
		epoch := map[int]bool{0: true, 1: true, 2: true}
		waiting := map[int]bool{}
		admitted, began := 0, 0
		for range 20 {
			switch r.IntN(3) {
			case 0: // a process comes, perhaps without arriving
				members, err := m.grow(0, 1, nil)
				if (err != nil) != (admitted == 5) {
					t.Fatalf("%d processes were admitted, one more: %v", admitted, err)
				}
				if err != nil || r.IntN(4) == 0 {
					admitted = min(admitted+1, 5)
					continue
				}
				if members[0] != 3+admitted {
					t.Fatalf("process %d gets seat %d", admitted, members[0])
				}
				comes(t, m, members[0], 2+admitted)
				admitted++
				if r.IntN(4) > 0 {
					serves(m, members[0])
					waiting[members[0]] = true
				}
			case 1: // a process that waits dies, or is ended and does not know that yet
				for member := range waiting {
					if r.IntN(2) == 0 {
						m.records.at(member).state = memberDead
					} else {
						m.cohortOf(member).aborted = "its launcher has ended"
					}
					delete(waiting, member)
					break
				}
			case 2: // all vote
				votes := slices.Sorted(maps.Keys(epoch))
				began += r.IntN(3) // epochs without a vote
				for i, member := range votes {
					stays := !m.mayLeave(member) || r.IntN(4) > 0
					all, err := m.voteOn(member, began, stays)
					if err != nil || all != (i == len(votes)-1) {
						t.Fatalf("vote of %d in %v: %v, %v", member, votes, all, err)
					}
					if !stays {
						delete(epoch, member)
					}
				}
				joining, leaving := m.beginEpoch()
				if len(leaving) != len(votes)-len(epoch) || len(joining) != len(waiting) {
					t.Fatalf("%v join and %v leave, expected %v to join and %v to stay", joining, leaving, waiting, epoch)
				}
				maps.Copy(epoch, waiting)
				clear(waiting)
				began++
			}
			checkVotes(t, m)
			if want := slices.Sorted(maps.Keys(epoch)); !slices.Equal(m.cohorts[0].members, want) || m.epoch != began {
				t.Fatalf("epoch %d has the members %v, expected epoch %d with %v", m.epoch, m.cohorts[0].members, began, want)
			}
		}
	}
}

// TestVotes: a member votes once, and members that stay for ever cannot leave.
func TestVotes(t *testing.T) {
	m := elasticRun(t)
	for _, member := range []int{0, 2} {
		if _, err := m.voteOn(member, 0, false); err == nil {
			t.Errorf("rank %d may leave", member)
		}
	}
	if _, err := m.voteOn(1, 5, true); err != nil {
		t.Error(err)
	}
	if _, err := m.voteOn(1, 5, true); err == nil {
		t.Error("rank 1 votes twice")
	}
	for _, last := range []int{4, 6} {
		if _, err := m.voteOn(0, last, true); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("behind epoch %d, expected epoch 5", last)) {
			t.Errorf("rank 0 votes on another epoch: %v", err)
		}
	}
	members, err := m.grow(0, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	comes(t, m, members[0], 2)
	if _, err := m.voteOn(members[0], 5, true); err == nil {
		t.Error("a process votes that is not adopted")
	}
	for member, want := range map[int]string{
		-1: "does not belong", 0: "stays until the end", 1: "", 2: "job 1 air, which was started without -max",
		members[0]: "", members[1] + 1: "does not belong", 99: "does not belong",
	} {
		if err := m.mayBeAsked(member); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("rank %d: %v, expected %q", member, err, want)
		}
	}
	if _, err := m.grow(1, 1, nil); err == nil || !strings.Contains(err.Error(), "job 1 air cannot grow: it was started without -max or the key max") {
		t.Errorf("job 1: %v", err)
	}
	m.windows = true
	if _, err := m.grow(0, 1, nil); err == nil || !strings.Contains(err.Error(), "-net rma") {
		t.Errorf("beside windows: %v", err)
	}
}

// TestReportOfNewcomer: what a process has reported that waited to be adopted explains no end of a rank of its job.
func TestReportOfNewcomer(t *testing.T) {
	m := elasticRun(t)
	members, err := m.grow(0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	comes(t, m, members[0], 2)
	m.reportLost(members[0], 2)
	m.records.at(members[0]).state = memberDead
	if reporter := m.reporter(0); reporter != noMember {
		t.Errorf("rank %d explains the end of rank 0", reporter)
	}
	m.reportLost(1, 2)
	if reporter := m.reporter(0); reporter != 1 {
		t.Errorf("rank %d explains the end of rank 0, expected rank 1 of its job", reporter)
	}
}

// TestEndOf: a rank that has left its epoch counts as left however its process ends, other ranks that die are lost.
func TestEndOf(t *testing.T) {
	m := elasticRun(t)
	for member, stays := range []bool{true, false, true} {
		if _, err := m.voteOn(member, 0, stays); err != nil {
			t.Fatal(err)
		}
	}
	m.beginEpoch()
	if got, want := m.endOf(1), (Change{Kind: MemberLeft, Member: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("rank 1 has left its epoch, and waits: %+v", got)
	}
	m.records.at(1).state, m.records.at(2).state = memberDead, memberDead
	if got := m.endOf(1); got.Kind != MemberLeft {
		t.Errorf("rank 1 has left its epoch, and died: %+v", got)
	}
	if got := m.endOf(2); got.Kind != MemberLost || !strings.Contains(got.Reason, "rank 2 ") {
		t.Errorf("rank 2 has died: %+v", got)
	}
}

// TestLostSeat: a member cannot lose one that no process may be yet.
func TestLostSeat(t *testing.T) {
	s := &Server{members: elasticRun(t)}
	if err := s.memberLost(1, binary.LittleEndian.AppendUint32(nil, 5)); !errors.Is(err, ErrProtocol) {
		t.Errorf("four bytes: %v", err)
	}
	if err := s.memberLost(1, append(binary.LittleEndian.AppendUint32(nil, 5), byte(ProcessEnded))); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), "rank 5") {
		t.Errorf("rank 5 is lost: %v", err)
	}
}

// TestAskedWhileStarting: ranks are not asked to leave before all have joined.
func TestAskedWhileStarting(t *testing.T) {
	m := newMembership([]Job{{Name: "solver", Size: 2, Max: 7}}, 0)
	if _, reason := m.join(hello{jobRank: 1}, nil); reason != "" {
		t.Fatal(reason)
	}
	if err := (&Server{members: m}).AskLeave(1); !errors.Is(err, ErrStarting) || m.records.at(1).asked {
		t.Errorf("rank 1 is asked to leave before rank 0 has come: %v", err)
	}
}

// TestSeveralJobsGrow: processes of several jobs get members in the order in which they are admitted, and numbers in their own jobs.
func TestSeveralJobsGrow(t *testing.T) {
	m := newMembership([]Job{{Name: "sea", Size: 1, Max: 3}, {Name: "coupler", Size: 1}, {Name: "air", Size: 2, Max: 4}}, 5)
	if m.residents != 8 || m.seats != 13 {
		t.Errorf("%d seats of residents and %d in all, expected 8 and 13", m.residents, m.seats)
	}
	for i, x := range []struct {
		job, count int
		want       []int
	}{{2, 1, []int{4}}, {0, 1, []int{5}}, {2, 1, []int{6}}, {2, 1, nil}, {1, 1, nil}, {0, 2, nil}, {0, 1, []int{7}}} {
		if got, err := m.grow(x.job, x.count, nil); !slices.Equal(got, x.want) || (err == nil) != (x.want != nil) {
			t.Errorf("request %d: %v, %v, expected %v", i, got, err, x.want)
		}
	}
	for _, x := range []struct{ job, jobRank, want int }{{2, 1, 3}, {2, 2, 4}, {2, 3, 6}, {2, 4, -1}, {0, 0, 0}, {0, 1, 5}, {0, 2, 7}, {1, 1, -1}} {
		if got := m.member(x.job, x.jobRank); got != x.want {
			t.Errorf("process %d of job %d is member %d, expected %d", x.jobRank, x.job, got, x.want)
		}
	}
}
