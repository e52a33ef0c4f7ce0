package fabrictest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// sizes are the numbers of bytes of the copies. The last one is longer than any buffer
// on the way and is odd.
var sizes = []int{0, 1, 2, 3, 4, 7, 8, 9, 16, 63, 4096, 4097, 65536, 1<<20 + 3}

// offsets put source and destination at equal and at different alignments.
var offsets = []struct{ here, there int }{{64, 64}, {65, 64}, {64, 67}, {71, 77}}

// guard is the number of bytes on each side of a destination that must not change.
const guard = 64

// testCopies puts and gets between all pairs of two members, themselves included.
func testCopies(t *testing.T, ms []Member) {
	scratch := Pages(t, MemorySize)
	for from := range ms {
		for to := range ms {
			for _, n := range sizes {
				for _, at := range offsets {
					name := fmt.Sprintf("%d to %d, %d bytes, offsets %d and %d", from, to, n, at.here, at.there)
					if err := put(ms, from, to, scratch, at.here, at.there, n); err != nil {
						t.Fatalf("put from %s: %v", name, err)
					}
					if err := get(ms, from, to, scratch, at.here, at.there, n); err != nil {
						t.Fatalf("get from %s: %v", name, err)
					}
				}
			}
		}
	}
}

// put copies n bytes from scratch of member from to the memory of member to and
// checks both sides and their guards.
func put(ms []Member, from, to int, scratch []byte, here, there, n int) error {
	src, dst := scratch[here:here+n], ms[to].Memory[there-guard:there+n+guard]
	fill(src, byte(n)+1)
	fill(dst, byte(n)+2)
	want := append([]byte(nil), dst...)
	copy(want[guard:], src)
	o := NewOutcome()
	ms[from].Transport.Put(to, ms[to].Pos+uint64(there), unsafe.Pointer(&scratch[here]), uint64(n), o)
	_, err := o.Wait()
	fill(src, byte(n)+3) // a completed put does not look at its source any more
	if err != nil {
		return err
	}
	return same(dst, want)
}

// get is put in the other direction.
func get(ms []Member, from, to int, scratch []byte, here, there, n int) error {
	dst, src := scratch[here-guard:here+n+guard], ms[to].Memory[there:there+n]
	fill(src, byte(n)+4)
	fill(dst, byte(n)+5)
	want := append([]byte(nil), dst...)
	copy(want[guard:], src)
	o := NewOutcome()
	ms[from].Transport.Get(to, ms[to].Pos+uint64(there), unsafe.Pointer(&scratch[here]), uint64(n), o)
	_, err := o.Wait()
	fill(src, byte(n)+6)
	if err != nil {
		return err
	}
	return same(dst, want)
}

// testZero checks that copies of no bytes complete, also at the end of the memory.
func testZero(t *testing.T, ms []Member) {
	for _, pos := range []uint64{ms[1].Pos, ms[1].Pos + 4095} {
		o := NewOutcome()
		ms[0].Transport.Put(1, pos, nil, 0, o)
		o.Must(t)
		o = NewOutcome()
		ms[0].Transport.Get(1, pos, nil, 0, o)
		o.Must(t)
	}
	o := NewOutcome()
	ms[0].Transport.Put(1, ms[1].Bad+4096, nil, 0, o)
	if _, err := o.Wait(); !isRange(err) {
		t.Errorf("put of no bytes to memory that is not published: %v, want a RangeError", err)
	}
}

// testTorn watches an aligned integer while a peer puts two values in turn.
func testTorn(t *testing.T, ms []Member) {
	scratch := Pages(t, 4096)
	for _, width := range []uint64{4, 8} {
		word := ms[1].Memory[128:136]
		clear(word)
		stop := make(chan struct{})
		torn := make(chan error, 1)
		go func() { torn <- watch(word, width, stop) }()
		for i := range 400 {
			value := uint64(0)
			if i%2 == 1 {
				value = ^uint64(0)
			}
			binary.NativeEndian.PutUint64(scratch, value)
			o := NewOutcome()
			ms[0].Transport.Put(1, ms[1].Pos+128, unsafe.Pointer(&scratch[0]), width, o)
			o.Must(t)
		}
		close(stop)
		if err := <-torn; err != nil {
			t.Errorf("width %d: %v", width, err)
		}
	}
}

// testOrder issues put, atomic or put, and get of one place without waiting.
func testOrder(t *testing.T, ms []Member) {
	const rounds = 200
	const long = 100_000
	scratch := Pages(t, rounds*16+2*long)
	pos := ms[1].Pos + 4096
	var outcomes []*Outcome
	next := func() *Outcome {
		o := NewOutcome()
		outcomes = append(outcomes, o)
		return o
	}
	for i := range rounds {
		src, dst := scratch[i*16:], scratch[i*16+8:]
		binary.NativeEndian.PutUint64(src, uint64(i)+1)
		ms[0].Transport.Put(1, pos, unsafe.Pointer(&src[0]), 8, next())
		if hasAtomics(ms[0]) {
			ms[0].Transport.Atomic(1, pos, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1000}, next())
		}
		ms[0].Transport.Get(1, pos, unsafe.Pointer(&dst[0]), 8, next())
	}
	// A long get must not see the put that follows it.
	before, after := scratch[rounds*16:][:long], scratch[rounds*16+long:][:long]
	fill(ms[1].Memory[8192:8192+long], 1)
	want := append([]byte(nil), ms[1].Memory[8192:8192+long]...)
	fill(after, 2)
	ms[0].Transport.Get(1, ms[1].Pos+8192, unsafe.Pointer(&before[0]), long, next())
	ms[0].Transport.Put(1, ms[1].Pos+8192, unsafe.Pointer(&after[0]), long, next())
	for _, o := range outcomes {
		o.Must(t)
	}
	for i := range rounds {
		want := uint64(i) + 1
		if hasAtomics(ms[0]) {
			want += 1000
		}
		if got := binary.NativeEndian.Uint64(scratch[i*16+8:]); got != want {
			t.Fatalf("round %d: get after put found %d, want %d", i, got, want)
		}
	}
	if err := same(before, want); err != nil {
		t.Errorf("long get that was followed by a put: %v", err)
	}
	if err := same(ms[1].Memory[8192:8192+long], after); err != nil {
		t.Errorf("long put that followed a get: %v", err)
	}
}

// testThird copies between two members at the request of a third.
func testThird(t *testing.T, ms []Member) {
	for _, pair := range [][2]int{{1, 2}, {2, 1}, {1, 1}, {0, 2}, {2, 0}} {
		src, dst := pair[0], pair[1]
		for _, n := range sizes {
			from := ms[src].Memory[4096+5:][:n]
			to := ms[dst].Memory[2<<20:][:n+2*guard]
			fill(from, 7)
			fill(to, 8)
			want := append([]byte(nil), to...)
			copy(want[guard:], from)
			o := NewOutcome()
			ms[0].Transport.Copy(src, ms[src].Pos+4096+5, dst, ms[dst].Pos+2<<20+guard, uint64(n), o)
			o.Must(t)
			if err := same(to, want); err != nil {
				t.Fatalf("%d bytes from %d to %d: %v", n, src, dst, err)
			}
		}
	}
}

// testOverlap copies within one member, at the request of another, to memory that overlaps the
// source.
func testOverlap(t *testing.T, ms []Member) {
	const n = 1_000_000
	for _, shift := range []int{1000, -1000} {
		area := ms[1].Memory[8192:][:n+2000]
		fill(area, 3)
		want := append([]byte(nil), area[1000:1000+n]...)
		o := NewOutcome()
		at := ms[1].Pos + 8192 + 1000
		ms[0].Transport.Copy(1, at, 1, uint64(int(at)+shift), n, o)
		o.Must(t)
		if err := same(area[1000+shift:][:n], want); err != nil {
			t.Errorf("moved by %d bytes: %v", shift, err)
		}
	}
}

// testRange accesses memory that is not published, and afterwards memory that is.
func testRange(t *testing.T, ms []Member) {
	scratch := Pages(t, MemorySize)
	before := append([]byte(nil), ms[1].Memory...)
	all := uint64(len(ms[1].Memory))
	cases := []struct {
		name   string
		pos, n uint64
	}{
		{"null", 0, 8},
		{"nowhere", ms[1].Bad, 8},
		{"long and nowhere", ms[1].Bad, 1 << 20},
		{"across the end", ms[1].Bad - 4, 8},
		{"long across the end", ms[1].Bad - 100_000, 200_000},
		{"before the beginning", ms[1].Bad + all, 1},
		{"wrapping around", ^uint64(0) - 7, 16},
	}
	for _, c := range cases {
		try := map[string]func(*Outcome){
			"put": func(o *Outcome) { ms[0].Transport.Put(1, c.pos, unsafe.Pointer(&scratch[0]), c.n, o) },
			"get": func(o *Outcome) { ms[0].Transport.Get(1, c.pos, unsafe.Pointer(&scratch[0]), c.n, o) },
		}
		if ms[0].can().Copies {
			try["copy from"] = func(o *Outcome) { ms[0].Transport.Copy(1, c.pos, 2, ms[2].Pos, c.n, o) }
			try["copy to"] = func(o *Outcome) { ms[0].Transport.Copy(2, ms[2].Pos, 1, c.pos, c.n, o) }
		}
		for name, start := range try {
			o := NewOutcome()
			start(o)
			_, err := o.Wait()
			var bad *fabric.RangeError
			if !errors.As(err, &bad) || bad.Pos != c.pos || bad.Size != c.n {
				t.Errorf("%s of %d bytes at %#x (%s): %v, want a RangeError that says so", name, c.n, c.pos, c.name, err)
			}
		}
		if err := put(ms, 0, 2, scratch, 64, 64, 100); err != nil {
			t.Fatalf("%s: the next put: %v", c.name, err)
		}
	}
	if err := same(ms[1].Memory, before); err != nil {
		t.Errorf("refused operations changed memory: %v", err)
	}
	if hasAtomics(ms[0]) {
		o := NewOutcome()
		ms[0].Transport.Atomic(1, ms[1].Bad, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, o)
		if _, err := o.Wait(); !isRange(err) {
			t.Errorf("atomic on memory that is not published: %v, want a RangeError", err)
		}
	}
	if err := put(ms, 0, 1, scratch, 64, 64, 4096); err != nil {
		t.Errorf("put after errors: %v", err)
	}
}

func isRange(err error) bool {
	var bad *fabric.RangeError
	return errors.As(err, &bad)
}
