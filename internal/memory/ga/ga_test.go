package ga

import "testing"

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
