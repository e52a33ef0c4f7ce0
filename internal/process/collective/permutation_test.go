package collective

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

// wishes encodes the ranks that members ask for.
func wishes(ranks ...uint64) [][]byte {
	var blobs [][]byte
	for _, r := range ranks {
		blobs = append(blobs, binary.LittleEndian.AppendUint64(nil, r))
	}
	return blobs
}

func TestPermutation(t *testing.T) {
	reversed := func(member int) int { return 2 - member } // the ranks of three members now
	got, err := permutation(wishes(1, 2, 0), reversed)
	if err != nil || !slices.Equal(got, []uint32{1, 2, 0}) {
		t.Errorf("ranks %v, %v", got, err)
	}
	guests := wishes(1, 2, 0)
	guests[1] = append(guests[1], withGuests)
	short := wishes(1, 2, 0)
	short[1] = short[1][:7]
	for _, c := range []struct {
		name  string
		blobs [][]byte
		is    error
		want  string
	}{
		{"twice", wishes(1, 0, 1), ErrNotPermutation, "ranks 2 and 0 both ask for rank 1"},
		{"too great", wishes(1, 3, 0), ErrNotPermutation, "rank 1 asks for rank 3, and there are ranks 0 to 2"},
		{"negative", wishes(1, 2, ^uint64(0)), ErrNotPermutation, "rank 0 asks for rank -1"},
		{"guests", guests, ErrGuests, "guests have attached to the run, as rank 1 knows"},
		{"malformed", short, ErrDisagree, "rank 1 asks for a new rank in 7 bytes"},
	} {
		if _, err := permutation(c.blobs, reversed); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzPermutation: whatever three members send, the result has each rank once or is an error.
func FuzzPermutation(f *testing.F) {
	w := wishes(1, 2, 0, 3)
	f.Add(w[0], w[1], w[2])
	f.Add(w[0], w[0], w[3])
	f.Add([]byte{}, w[1], w[2][:3])
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		ranks, err := permutation([][]byte{a, b, c}, func(m int) int { return m })
		if err != nil {
			return
		}
		slices.Sort(ranks)
		if !slices.Equal(ranks, []uint32{0, 1, 2}) {
			t.Errorf("ranks %v", ranks)
		}
	})
}
