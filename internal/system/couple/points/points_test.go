package points

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// expand returns all numbers of a list.
func expand(l List) (all []int64) {
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return all
		}
		for i := range r.Count {
			all = append(all, r.Start+i*r.Stride)
		}
	}
}

// someNumbers returns numbers with runs of all kinds. They may repeat.
func someNumbers(r *rand.Rand, n int) (all []int64) {
	for len(all) < n {
		start, stride := r.Int64N(1000), r.Int64N(7)-3
		for i := range 1 + r.Int64N(5) {
			if x := start + i*stride; x >= 0 {
				all = append(all, x)
			}
		}
	}
	return all
}

func TestLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		want := someNumbers(r, r.IntN(40))
		l := Of(want...)
		if got := expand(l); !slices.Equal(got, want) || l.Len() != int64(len(want)) {
			t.Fatalf("%v became %v, of %d numbers", want, got, l.Len())
		}
		var parts Builder
		for it := l.All(); ; {
			run, ok := it.Take(1 + r.Int64N(3))
			if !ok {
				break
			}
			parts.AddRun(run)
		}
		if got := expand(parts.List()); !slices.Equal(got, want) {
			t.Fatalf("%v in parts became %v", want, got)
		}
	}
}

func TestDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		want := someNumbers(r, 1+r.IntN(20))
		slices.Sort(want)
		want = slices.Compact(want)
		encoded := Of(want...)
		lo, hi := want[0], want[len(want)-1]+1
		l, err := Decode(encoded.Bytes(), lo, hi, true)
		if err != nil || !slices.Equal(expand(l), want) || l.Len() != int64(len(want)) {
			t.Fatalf("%v arrived as %v: %v", want, expand(l), err)
		}
		for _, bounds := range [][2]int64{{lo + 1, hi}, {lo, hi - 1}} {
			if _, err := Decode(encoded.Bytes(), bounds[0], bounds[1], true); !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is accepted in %v: %v", want, bounds, err)
			}
		}
		if len(want) > 1 {
			slices.Reverse(want)
			descending := Of(want...)
			if _, err := Decode(descending.Bytes(), lo, hi, true); !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is accepted as ascending: %v", want, err)
			}
			if _, err := Decode(descending.Bytes(), lo, hi, false); err != nil {
				t.Fatalf("%v: %v", want, err)
			}
		}
		if end := encoded.Bytes(); len(end) > 1 && end[len(end)-1] < 0x80 && end[len(end)-2] < 0x80 {
			if _, err := Decode(end[:len(end)-1], lo, hi, true); err == nil {
				t.Fatalf("%v is accepted without its last byte", want)
			}
		}
	}
}

// FuzzDecode: no bytes make Decode fail otherwise than with ErrMalformed, or accept numbers that are not
// within the bounds.
func FuzzDecode(f *testing.F) {
	l := Of(1, 2, 3, 100, 50, 0)
	f.Add(l.Bytes(), int64(0), int64(101), false)
	f.Add([]byte{2, 9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, int64(0), int64(Max), true)
	f.Fuzz(func(t *testing.T, b []byte, lo, hi int64, ascending bool) {
		if lo < 0 || hi > Max {
			return
		}
		l, err := Decode(b, lo, hi, ascending)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Error(err)
			}
			return
		}
		last, total := int64(-1), int64(0)
		for it := l.All(); ; {
			r, ok := it.Next()
			if !ok {
				break
			}
			if total += r.Count; min(r.Start, r.Last()) < lo || max(r.Start, r.Last()) >= hi || ascending && (r.Start <= last || r.Last() < r.Start) {
				t.Fatalf("run %v within %d to %d behind %d", r, lo, hi, last)
			}
			last = r.Last()
		}
		if total != l.Len() {
			t.Errorf("%d numbers, and Len is %d", total, l.Len())
		}
	})
}

// TestSort sorts layouts with few and with many points, and locates some of their points. The points are near each other, or
// far apart.
func TestSort(t *testing.T) {
	for _, apart := range []int64{1, 1 << 30} {
		testSort(t, apart)
	}
}

func testSort(t *testing.T, apart int64) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 2, 10, 300, 1 << digitBits, 5 << digitBits} {
		first, factor := r.Int64N(1<<40), apart+r.Int64N(1000*apart)
		held := make([]int64, n)
		for i, x := range r.Perm(n) {
			held[i] = first + int64(x)*factor
		}
		var positions Builder
		if n > 0 {
			positions.AddRun(Run{0, 1, int64(n)})
		}
		sorted, err := (&Layout{Of(held...), positions.List()}).Sort()
		if err != nil {
			t.Fatal(err)
		}
		points, at := expand(sorted.Points), expand(sorted.Positions)
		if !slices.IsSorted(points) || len(points) != n || len(at) != n {
			t.Fatalf("%d points became %d, at %d positions", n, len(points), len(at))
		}
		var some, want []int64
		for i, x := range points {
			if held[at[i]] != x {
				t.Fatalf("point %d is at %d, which has %d", x, at[i], held[at[i]])
			}
			if r.IntN(3) == 0 {
				some, want = append(some, x), append(want, at[i])
			}
		}
		list := Of(some...)
		found, err := sorted.Locate(&list)
		if err != nil || !slices.Equal(expand(found), want) {
			t.Fatalf("points are found at other positions: %v", err)
		}
		strange := Of(append(some, first+int64(n)*factor)...)
		if _, err := sorted.Locate(&strange); !errors.Is(err, ErrMalformed) {
			t.Fatalf("a point that is not there is found: %v", err)
		}
	}
}

// TestLocateInStrides finds parts of runs in runs.
func TestLocateInStrides(t *testing.T) {
	l := &Layout{Of(10, 14, 18, 22, 26, 40, 50, 60), Of(7, 6, 5, 4, 3, 0, 1, 2)}
	some := Of(10, 18, 26, 50)
	found, err := l.Locate(&some)
	if want := []int64{7, 5, 3, 1}; err != nil || !slices.Equal(expand(found), want) {
		t.Errorf("at %v, want %v: %v", expand(found), want, err)
	}
	for _, x := range []int64{9, 11, 27, 61} {
		if some := Of(x); true {
			if _, err := l.Locate(&some); !errors.Is(err, ErrMalformed) {
				t.Errorf("point %d: %v", x, err)
			}
		}
	}
}

// TestFilter divides random layouts by random masks.
func TestFilter(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		var points, positions, kept, at, others []int64
		mask := make([]bool, 1+r.IntN(100))
		for i := range mask {
			mask[i] = r.IntN(1+r.IntN(6)) != 0
		}
		for i, position := range r.Perm(len(mask)) {
			point := int64(i*(1+r.IntN(2)) + 2*i)
			points, positions = append(points, point), append(positions, int64(position))
			if mask[position] {
				kept, at = append(kept, point), append(at, int64(position))
			} else {
				others = append(others, point)
			}
		}
		if r.IntN(2) == 0 {
			slices.Reverse(points)
			slices.Reverse(positions)
			slices.Reverse(kept)
			slices.Reverse(at)
			slices.Reverse(others)
		}
		l, left := (&Layout{Of(points...), Of(positions...)}).Filter(func(position int64) bool { return mask[position] })
		if !slices.Equal(expand(l.Points), kept) || !slices.Equal(expand(l.Positions), at) || !slices.Equal(expand(left), others) {
			t.Fatalf("points %v at %v became %v at %v, and %v; mask %v", points, positions, expand(l.Points), expand(l.Positions), expand(left), mask)
		}
	}
	block := Block{Grid: []int{40, 50}, First: []int{3, 4}, Extent: []int{20, 30}, Halo: []int{1, 2}}
	all, _, err := block.Layout(true)
	if err != nil {
		t.Fatal(err)
	}
	if l, left := all.Filter(func(int64) bool { return true }); !bytes.Equal(l.Points.Bytes(), all.Points.Bytes()) || left.Len() != 0 {
		t.Errorf("a mask without masked points leaves %d bytes of %d", len(l.Points.Bytes()), len(all.Points.Bytes()))
	}
}

func TestHeldTwice(t *testing.T) {
	l := &Layout{Of(5, 3, 9, 3), Of(0, 1, 2, 3)}
	_, err := l.Sort()
	var twice *HeldTwice
	if !errors.Is(err, ErrTwice) || !errors.As(err, &twice) || *twice != (HeldTwice{3, [2]int64{1, 3}}) {
		t.Errorf("%v", err)
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		points []int64
		lo, hi int64
	}{{nil, 0, 0}, {[]int64{4}, 4, 5}, {[]int64{9, 7, 5, 100}, 5, 101}} {
		l := Layout{Points: Of(c.points...)}
		if lo, hi := l.Bounds(); lo != c.lo || hi != c.hi {
			t.Errorf("%v: %d to %d", c.points, lo, hi)
		}
	}
}

// TestWithoutPattern: points without any pattern take less than half of the memory of their numbers.
func TestWithoutPattern(t *testing.T) {
	const n = 100000
	r := rand.New(rand.NewPCG(7, 8))
	var numbers, positions Builder
	for _, x := range r.Perm(8 * n)[:n] {
		numbers.Add(int64(x))
	}
	positions.AddRun(Run{0, 1, n})
	sorted, err := (&Layout{numbers.List(), positions.List()}).Sort()
	if err != nil {
		t.Fatal(err)
	}
	for what, l := range map[string]List{"points": sorted.Points, "positions": sorted.Positions} {
		if perPoint := float64(len(l.Bytes())) / n; perPoint > 4 {
			t.Errorf("%s take %.1f bytes each", what, perPoint)
		}
	}
}

// TestUnsigned: numbers of all lengths are decoded as package binary does it, with bytes behind them and without.
func TestUnsigned(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		want := r.Uint64() >> r.IntN(64)
		b := binary.AppendUvarint(nil, want)
		length := len(b)
		for range r.IntN(12) {
			b = append(b, byte(r.Uint32()))
		}
		if got, n := unsigned(b); got != want || n != length {
			t.Fatalf("%x: %d of %d bytes, want %d of %d", b, got, n, want, length)
		}
	}
	for _, b := range [][]byte{{}, {0x80}, bytes.Repeat([]byte{0xff}, 7), bytes.Repeat([]byte{0xff}, 12)} {
		x, n := unsigned(b)
		if want, m := binary.Uvarint(b); x != want || n != m {
			t.Errorf("%x: %d, %d, want %d, %d", b, x, n, want, m)
		}
	}
}

// TestLongList: lists of any length have the added numbers, also after encoding and decoding.
func TestLongList(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := 1; n < 3_000_000; n *= 3 {
		all := make([]int64, n)
		for i := range all {
			all[i] = r.Int64N(1 << 40)
		}
		l := Of(all...)
		decoded, err := Decode(l.Bytes(), 0, 1<<40, false)
		if err != nil || decoded.Len() != int64(n) || !slices.Equal(expand(decoded), all) {
			t.Fatalf("%d numbers: %d are left, %v", n, decoded.Len(), err)
		}
	}
}
