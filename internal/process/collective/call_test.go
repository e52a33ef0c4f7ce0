package collective

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/goacp/goacp/internal/process/barrier"
)

// TestMarks checks that no two functions have the same mark or digest, and that no small
// number of one adds up to the other.
func TestMarks(t *testing.T) {
	calls := []Call{{}, {Function: Finalize}, {Function: Reset}, {Function: CreateWorkspace}}
	for n := uint64(1); n <= 1000; n++ {
		calls = append(calls, Call{Function: DestroyWorkspace, Number: n},
			Call{Function: Named, Name: fmt.Sprintf("removal of ledger %d", n)})
	}
	seen, digests := make(map[uint64]Call), make(map[barrier.Digest]Call)
	for i, c := range calls {
		mark := c.Mark()
		if other, found := seen[mark]; found {
			t.Errorf("%v has the mark of %v", c, other)
		}
		if other, found := digests[barrier.DigestOf(mark)]; found {
			t.Errorf("%v has the digest of %v", c, other)
		}
		seen[mark], digests[barrier.DigestOf(mark)] = c, c
		g := Progress{c, uint64(i), i%2 == 0}
		if decoded, err := decodeProgress(g.encode()); err != nil || decoded != g {
			t.Errorf("%v decoded as %v, %v", g, decoded, err)
		}
	}
}

// FuzzDecodeProgress checks that decodeProgress refuses a message, or decodes all of it.
func FuzzDecodeProgress(f *testing.F) {
	f.Add(Progress{Call{DestroyWorkspace, 3, ""}, 7, true}.encode())
	f.Add(Progress{Call{Named, 0, "total of ledgers"}, 8, false}.encode())
	f.Add([]byte{})
	f.Add(append([]byte{200}, make([]byte, ProgressBytes-1)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := decodeProgress(b)
		if err == nil && (!bytes.Equal(g.encode(), b) || g.Call.String() == "") {
			t.Errorf("%x decoded as %v", b, g)
		}
	})
}
