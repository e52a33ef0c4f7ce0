package shape

import (
	"bytes"
	"math"
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
		t.List = t.List.Append(s)
		t.N += s.N
	}
	return t
}

// TestTargetsTravel: the decoded target equals the encoded target, with the data after it.
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

// TestHull: a list lies in its hull, which begins and ends with segments.
func TestHull(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		var l List
		var segments []Segment
		for range 1 + rng.IntN(5) {
			s := Segment{At: rng.Uint64N(1000), N: 1 + rng.Int64N(100)}
			l, segments = l.Append(s), append(segments, s)
		}
		at, n, ok := l.Hull()
		first, last := at+n, at
		for _, s := range segments {
			first, last = min(first, s.At), max(last, s.At+uint64(s.N))
		}
		if !ok || first != at || last != at+n {
			t.Fatalf("seed %d: the hull of %v is %d bytes at %d, %v", seed, segments, n, at, ok)
		}
	}
	if _, _, ok := List(nil).Append(Segment{At: math.MaxUint64 - 1, N: 3}).Hull(); ok {
		t.Error("a segment that runs over the end of the address space has a hull")
	}
	if _, _, ok := List(nil).Hull(); ok {
		t.Error("an empty list has a hull")
	}
}

// FuzzDecode: bytes of another process are refused, or are a target that can be walked inside of the
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
