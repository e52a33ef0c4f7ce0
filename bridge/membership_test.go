package bridge

import (
	"errors"
	"testing"
)

// filled returns a membership whose members have all joined.
func filled(t *testing.T, sizes ...int) *membership {
	t.Helper()
	var jobs []Job
	for _, n := range sizes {
		jobs = append(jobs, Job{Size: n})
	}
	m := newMembership(jobs, 0)
	i := 0
	for job, n := range sizes {
		for jobRank := range n {
			if member, reason := m.join(hello{job: uint32(job), jobRank: int32(jobRank)}, nil); member != i {
				t.Fatalf("member %d became %d: %s", i, member, reason)
			}
			i++
		}
	}
	return m
}

func TestTakeBlob(t *testing.T) {
	m := filled(t, 1, 2)
	for round := range uint32(3) {
		for i := range 3 {
			result, err := m.takeBlob(i, round, []byte{byte(i)})
			if err != nil || (result != nil) != (i == 2) {
				t.Fatalf("round %d, member %d: %x, %v", round, i, result, err)
			}
			if _, err := m.takeBlob(i, round, nil); !errors.Is(err, ErrProtocol) {
				t.Errorf("round %d: member %d gave two blobs: %v", round, i, err)
			}
		}
		if m.cohorts[0].contacts != nil {
			t.Errorf("round %d: taken for contacts: %x", round, m.cohorts[0].contacts)
		}
	}
}

func TestStuckExchange(t *testing.T) {
	leave := func(m *membership, member int) {
		m.records.at(member).state = memberLeft
		m.cohorts[0].left++
	}
	m := filled(t, 3)
	leave(m, 2)
	if reason := m.stuck(m.cohorts[0]); reason != "" {
		t.Errorf("no member waits: %s", reason)
	}
	if _, err := m.takeBlob(0, 0, nil); err != nil {
		t.Fatal(err)
	}
	if m.stuck(m.cohorts[0]) == "" {
		t.Error("member 0 waits forever")
	}
	// The exchange does not wait for a member that has left after it gave its blob.
	m = filled(t, 3)
	for i := range 2 {
		if _, err := m.takeBlob(i, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	leave(m, 0)
	if reason := m.stuck(m.cohorts[0]); reason != "" {
		t.Errorf("member 2 can still come: %s", reason)
	}
}
