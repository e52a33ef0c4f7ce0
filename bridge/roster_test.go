package bridge

import (
	"errors"
	"testing"
)

// filled is a roster whose members have all joined.
func filled(t *testing.T, sizes ...int) *roster {
	t.Helper()
	var jobs []Job
	for _, n := range sizes {
		jobs = append(jobs, Job{Size: n})
	}
	r := newRoster(jobs)
	for i := range r.size() {
		job := uint32(0)
		for i >= r.first[job+1] {
			job++
		}
		if member, reason := r.join(hello{job: job, jobRank: int32(i - r.first[job])}, nil); member != i {
			t.Fatalf("member %d became %d: %s", i, member, reason)
		}
	}
	return r
}

func TestRosterGive(t *testing.T) {
	r := filled(t, 1, 2)
	for round := range uint32(3) {
		for i := range 3 {
			result, err := r.give(i, round, []byte{byte(i)})
			if err != nil || (result != nil) != (i == 2) {
				t.Fatalf("round %d, member %d: %x, %v", round, i, result, err)
			}
			if _, err := r.give(i, round, nil); !errors.Is(err, ErrProtocol) {
				t.Errorf("round %d: member %d gave twice: %v", round, i, err)
			}
		}
		if r.contacts != nil {
			t.Errorf("round %d: taken for contacts: %x", round, r.contacts)
		}
	}
}

func TestRosterStuck(t *testing.T) {
	leave := func(r *roster, member int) {
		r.seats[member].state = seatLeft
		r.left++
	}
	r := filled(t, 3)
	leave(r, 2)
	if reason := r.stuck(); reason != "" {
		t.Errorf("nobody waits: %s", reason)
	}
	if _, err := r.give(0, 0, nil); err != nil {
		t.Fatal(err)
	}
	if r.stuck() == "" {
		t.Error("member 0 waits for ever")
	}
	// Who has given before leaving is not waited for.
	r = filled(t, 3)
	for i := range 2 {
		if _, err := r.give(i, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	leave(r, 0)
	if reason := r.stuck(); reason != "" {
		t.Errorf("member 2 can still come: %s", reason)
	}
}
