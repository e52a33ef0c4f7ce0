package workspace

import (
	"bytes"
	"testing"

	"github.com/goacp/goacp/internal/memory/ga"
)

// TestDecodeContribution: a contribution is decoded as it was encoded, and other blobs are refused.
func TestDecodeContribution(t *testing.T) {
	good := contribution{size: 100, first: 2, piece: 7, block: ga.MaxPos, allocated: true}
	if c, ok := decodeContribution(good.encode()); !ok || c != good {
		t.Errorf("%+v became %+v, %v", good, c, ok)
	}
	beyond := good
	beyond.block++
	b := good.encode()
	b[contributionBytes-1] = 2
	for name, b := range map[string][]byte{
		"nothing": nil, "too short": good.encode()[1:], "too long": append(good.encode(), 0),
		"memory of another rank": beyond.encode(), "neither 0 nor 1": b,
	} {
		if c, ok := decodeContribution(b); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// FuzzDecodeContribution: an accepted contribution is encoded to the same bytes again.
func FuzzDecodeContribution(f *testing.F) {
	f.Add(contribution{size: 1, piece: 1 << 20, block: 4096, allocated: true}.encode())
	f.Add(contribution{first: 1 << 63}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, ok := decodeContribution(b); ok && !bytes.Equal(c.encode(), b) {
			t.Errorf("%x became %+v", b, c)
		}
	})
}
