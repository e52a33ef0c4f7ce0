package workspace

import (
	"bytes"
	"testing"

	"github.com/goacp/goacp/internal/memory/ga"
)

// TestDecodeOffer: an offer is decoded as it was encoded, and other blobs are refused.
func TestDecodeOffer(t *testing.T) {
	good := offer{size: 100, first: 2, piece: 7, block: ga.MaxPos, room: true}
	if o, ok := decodeOffer(good.encode()); !ok || o != good {
		t.Errorf("%+v became %+v, %v", good, o, ok)
	}
	beyond := good
	beyond.block++
	b := good.encode()
	b[offerBytes-1] = 2
	for name, b := range map[string][]byte{
		"nothing": nil, "too short": good.encode()[1:], "too long": append(good.encode(), 0),
		"memory of another rank": beyond.encode(), "neither room nor none": b,
	} {
		if o, ok := decodeOffer(b); ok {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// FuzzDecodeOffer: an accepted offer is encoded to the same bytes again.
func FuzzDecodeOffer(f *testing.F) {
	f.Add(offer{size: 1, piece: 1 << 20, block: 4096, room: true}.encode())
	f.Add(offer{first: 1 << 63}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if o, ok := decodeOffer(b); ok && !bytes.Equal(o.encode(), b) {
			t.Errorf("%x became %+v", b, o)
		}
	})
}
