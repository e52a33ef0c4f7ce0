package ga

import (
	"slices"
	"testing"
)

func TestAddress(t *testing.T) {
	for _, rank := range []int{0, 1, 1<<20 - 1} {
		for _, pos := range []uint64{0, 4096, MaxPos} {
			a := Make(rank, pos)
			if Rank(a) != rank || Pos(a) != pos {
				t.Errorf("%#x is position %#x of rank %d, want %#x of %d", a, Pos(a), Rank(a), pos, rank)
			}
		}
	}
}

func TestRanks(t *testing.T) {
	r := NewRanks(3, 1)
	for m := range 3 {
		if r.Rank(m) != m || r.Member(m) != m {
			t.Errorf("member %d begins as rank %d", m, r.Rank(m))
		}
	}
	r.Renumber([]uint32{2, 0, 1})
	if r.Own() != 0 || r.Self() != 1 || r.Member(2) != 0 || r.Rank(2) != 1 || r.Size() != 3 {
		t.Errorf("rank %d of member %d; rank 2 is member %d", r.Own(), r.Self(), r.Member(2))
	}
}

func TestEpochs(t *testing.T) {
	r := NewCohort(Run{Seats: 20, Limit: 8}, 0, 3, 1)
	if !r.Elastic() || r.Limit() != 8 || r.Fellow(1) {
		t.Errorf("elastic %v, limit %d, rank 1 cannot leave: %v", r.Elastic(), r.Limit(), r.Fellow(1))
	}
	r.Begin(1, []int{0, 1, 5})
	if r.Epoch() != 1 || r.First() != 0 || r.End() != 6 || r.Size() != 3 || !slices.Equal(r.Members(), []int{0, 1, 5}) {
		t.Errorf("epoch %d: %d ranks from %d to %d, %v", r.Epoch(), r.Size(), r.First(), r.End(), r.Members())
	}
	fixed := NewRanks(3, 1)
	if fixed.Elastic() || fixed.Limit() != 3 || !fixed.Fellow(2) || !slices.Equal(fixed.Members(), []int{0, 1, 2}) {
		t.Errorf("fixed: elastic %v, limit %d, %v", fixed.Elastic(), fixed.Limit(), fixed.Members())
	}
}
