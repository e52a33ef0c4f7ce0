package conserve

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// TestCorrect: after the correction, the integrals of random values in random parts are those of the other side.
func TestCorrect(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 1000 {
		reals, method := 1+r.IntN(3), Add+Method(r.IntN(2))
		var values [2][][]float64
		var areas [2][][]float64
		for sd := range 2 {
			for range 1 + r.IntN(4) {
				var some, area []float64
				for range r.IntN(10) {
					area = append(area, float64(1+r.IntN(9)))
					for range reals {
						some = append(some, r.Float64()*100-50)
					}
				}
				if r.IntN(3) == 0 {
					area = nil
				}
				values[sd], areas[sd] = append(values[sd], some), append(areas[sd], area)
			}
		}
		integral := func() Sums {
			var parts [2][][]float64
			for sd := range 2 {
				for i, some := range values[sd] {
					parts[sd] = append(parts[sd], Of(some, areas[sd][i], reals))
				}
			}
			return Total(parts)
		}
		sums := integral()
		for _, some := range values[side.Receiving] {
			sums.Correct(method, some)
		}
		if sums[side.Receiving][reals] == 0 {
			continue // no point receives a value
		}
		after := integral()
		for k := range reals {
			have, want := after[side.Receiving][k], sums[side.Sending][k]
			// A product can grow if the sum is near 0.
			tolerance := 1e-12 * (1e4 + math.Abs(want)) * max(1, math.Abs(want/sums[side.Receiving][k]))
			if math.Abs(have-want) > tolerance {
				t.Fatalf("%v: the integral is %v, expected %v", method, have, want)
			}
		}
	}
}

// TestCorrectZero: values without a sum are not multiplied.
func TestCorrectZero(t *testing.T) {
	s := Sums{{6, 3}, {0, 2}}
	values := []float64{-1, 1}
	if s.Correct(Multiply, values); !slices.Equal(values, []float64{2, 4}) {
		t.Error(values)
	}
	s = Sums{{6, 3}, {3, 2}}
	values = []float64{0, 3}
	if s.Correct(Multiply, values); !slices.Equal(values, []float64{0, 6}) {
		t.Error(values)
	}
	s = Sums{{6, 3}, {0, 0}}
	if s.Correct(Add, nil); s[1][0] != 0 {
		t.Error(s)
	}
}

// TestExact: sums do not lose small values beside great ones.
func TestExact(t *testing.T) {
	if got := Of([]float64{1e100, 1, -1e100, 1}, nil, 1); !slices.Equal(got, []float64{2, 4}) {
		t.Error(got)
	}
	if got := Of([]float64{math.Inf(1), 1}, nil, 1); !math.IsInf(got[0], 1) {
		t.Error(got)
	}
}

func TestMessages(t *testing.T) {
	part := Part{Link: 1 << 40, Number: 9, Side: side.Receiving, Index: 3, Sums: []float64{1, math.Inf(-1)}}
	decode := func(b []byte) (Part, error) { return DecodePart(b, 5) }
	b := part.Encode()
	if got, err := decode(b); err != nil || !reflect.DeepEqual(got, part) {
		t.Errorf("%+v: %v", got, err)
	}
	for n := range b {
		if _, err := decode(b[:n]); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	sums := Sums{{1, 2}, {3, 4}}
	if got, err := DecodeSums(sums.Encode(), 1); err != nil || !reflect.DeepEqual(got, sums) {
		t.Errorf("%+v: %v", got, err)
	}
	if _, err := DecodeSums(sums.Encode(), 2); !errors.Is(err, wire.ErrMalformed) {
		t.Error(err)
	}
	for m := range methods {
		if got, ok := MethodOf(m.String()); !ok || got != m || !m.Valid() {
			t.Errorf("%v is %v", m, got)
		}
	}
	if _, ok := MethodOf("divide"); ok || methods.Valid() {
		t.Error("a method that there is not")
	}
}

// FuzzDecodePart: no bytes make DecodePart fail otherwise than with wire.ErrMalformed.
func FuzzDecodePart(f *testing.F) {
	part := Part{Link: 1, Number: 2, Index: 3, Sums: []float64{4, 5}}
	f.Add(part.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := DecodePart(b, 100)
		if err != nil {
			if !errors.Is(err, wire.ErrMalformed) {
				t.Error(err)
			}
			return
		}
		again, err := DecodePart(first.Encode(), 100)
		if err != nil || string(again.Encode()) != string(first.Encode()) {
			t.Errorf("%+v became %+v: %v", first, again, err)
		}
	})
}
