package shape

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
)

// randomTarget returns a target as requests have them.
func randomTarget(rng *rand.Rand) Target {
	var t Target
	if rng.IntN(2) == 0 {
		s := random(rng)
		t.At, t.Side = rng.Uint64(), s.RemoteSide()
		all, _ := t.Side.Bytes()
		t.Start = rng.Int64N(all)
		t.N = 1 + rng.Int64N(all-t.Start)
		return t
	}
	for range 1 + rng.IntN(10) {
		s := Segment{rng.Uint64(), 1 + rng.Int64N(100)}
		t.List = append(t.List, s)
		t.N += s.N
	}
	return t
}

// TestTargetsTravel: what is sent is what arrives, with the data behind it.
func TestTargetsTravel(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		want := randomTarget(rng)
		got, rest, err := Decode(append(want.Append(nil), "data"...))
		if err != nil || string(rest) != "data" || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %+v arrived as %+v, %q, %v", seed, want, got, rest, err)
		}
	}
}

// FuzzDecode: what another process sends is refused, or is a target that can be walked inside of the
// ranges that it names.
func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		target := randomTarget(rng)
		f.Add(target.Append(nil))
	}
	f.Add([]byte{})
	f.Add([]byte{9})
	f.Fuzz(func(t *testing.T, b []byte) {
		target, rest, err := Decode(b)
		if err != nil {
			return
		}
		if again := target.Append(nil); !bytes.Equal(again, b[:len(b)-len(rest)]) {
			t.Fatalf("%x is sent as %x", b, again)
		}
		type span struct{ at, n uint64 }
		var spans []span
		if _, err := target.Spans(func(at, n uint64) bool {
			spans = append(spans, span{at, n})
			return true
		}); err != nil || target.N > 1<<16 {
			return
		}
		left := target.N
		_ = target.Each(func(at uint64, n int64) error {
			left -= n
			inside := false
			for _, s := range spans {
				inside = inside || at-s.at <= s.n && uint64(n) <= s.n-(at-s.at)
			}
			if !inside || n <= 0 {
				t.Fatalf("%+v has %d bytes at %#x, outside of %v", target, n, at, spans)
			}
			return nil
		})
		if left != 0 {
			t.Fatalf("%+v: %d bytes are left", target, left)
		}
	})
}
