package fabrictest

import (
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
)

// testNoThird checks that Copy fails with ErrNoPath if the Abilities do not have it.
func testNoThird(t *testing.T, ms []Member) {
	o := NewOutcome()
	ms[0].Transport.Copy(1, ms[1].Pos, 2, ms[2].Pos, 8, o)
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrNoPath) {
		t.Errorf("copy between others: %v, want ErrNoPath", err)
	}
}

// testSize gets more bytes than any memory has, and puts as many as a memory has behind its
// beginning.
func testSize(t *testing.T, ms []Member) {
	scratch := Pages(t, MemorySize)
	fill(scratch, 1)
	want := append([]byte(nil), scratch...)
	before := append([]byte(nil), ms[1].Memory...)
	for _, n := range []uint64{MemorySize + 1<<20, 1 << 32, 1<<44 - 1, 1 << 44, 1 << 62, 1<<63 - 1, 1 << 63, ^uint64(0)} {
		o := NewOutcome()
		ms[0].Transport.Get(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), n, o)
		if _, err := o.Wait(); !isRange(err) {
			t.Errorf("get of %#x bytes: %v, want a RangeError", n, err)
		}
	}
	o := NewOutcome()
	ms[0].Transport.Put(1, ms[1].Bad-4096, unsafe.Pointer(&scratch[0]), MemorySize, o)
	if _, err := o.Wait(); !isRange(err) {
		t.Errorf("put across the end: %v, want a RangeError", err)
	}
	if err := same(scratch, want); err != nil {
		t.Errorf("a refused get wrote: %v", err)
	}
	if err := same(ms[1].Memory, before); err != nil {
		t.Errorf("a refused put wrote: %v", err)
	}
}

// testImmediate checks that operations are complete when their calls return.
func testImmediate(t *testing.T, ms []Member) {
	scratch := Pages(t, MemorySize)
	for what, start := range map[string]func(fabric.Completion){
		"put":  func(o fabric.Completion) { ms[0].Transport.Put(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), 1<<20, o) },
		"get":  func(o fabric.Completion) { ms[0].Transport.Get(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), 1<<20, o) },
		"null": func(o fabric.Completion) { ms[0].Transport.Get(1, 0, unsafe.Pointer(&scratch[0]), 8, o) },
		"atomic": func(o fabric.Completion) {
			ms[0].Transport.Atomic(1, ms[1].Pos, fabric.Atomic{Op: fabric.OpAdd, Width: 8}, o)
		},
	} {
		o := NewOutcome()
		start(o)
		select {
		case <-o.done:
		default:
			t.Errorf("%s: not complete when the call has returned", what)
		}
	}
}

// testUnmapped copies from memory and to memory of this process that is not mapped. These are
// errors; the operations before and behind them succeed.
func testUnmapped(t *testing.T, ms []Member) {
	scratch := Pages(t, MemorySize)
	const long = 1 << 20
	const begin = 256 << 10
	area := Pages(t, long)
	if err := unix.Mprotect(area[begin:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ at, n uint64 }{
		{begin, fabric.WordMax + 1}, {begin, 5000}, {begin, long - begin}, {begin - 4096, 8192}, {0, long},
	} {
		hole, n := area[c.at:], c.n
		before, put, get, after := NewOutcome(), NewOutcome(), NewOutcome(), NewOutcome()
		ms[0].Transport.Put(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), 100, before)
		ms[0].Transport.Put(1, ms[1].Pos, unsafe.Pointer(unsafe.SliceData(hole)), n, put)
		ms[0].Transport.Get(1, ms[1].Pos, unsafe.Pointer(unsafe.SliceData(hole)), n, get)
		ms[0].Transport.Get(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), 100, after)
		for what, o := range map[string]*Outcome{"put": put, "get": get} {
			if _, err := o.Wait(); err == nil || errors.Is(err, errNever) {
				t.Errorf("%s of %d bytes that are not all mapped: %v, want an error", what, n, err)
			}
		}
		before.Must(t)
		after.Must(t)
	}
}

// testDead kills a member with operations under way there. They end, and so do later ones; the
// members that are left go on.
func testDead(t *testing.T, ms []Member) {
	scratch := Pages(t, MemorySize)
	var outcomes []*Outcome
	more := func(n int) {
		for range n {
			o := NewOutcome()
			outcomes = append(outcomes, o)
			ms[0].Transport.Get(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), 1<<20, o)
		}
	}
	more(20)
	ms[1].Kill()
	more(5)
	for i, o := range outcomes {
		if _, err := o.Wait(); err != nil && !errors.Is(err, fabric.ErrPeerDead) {
			t.Errorf("operation %d on the dead rank: %v, want success or ErrPeerDead", i, err)
		}
	}
	if err := put(ms, 0, 2, scratch, 64, 64, 5000); err != nil {
		t.Errorf("put to the rank that is left: %v", err)
	}
	if err := get(ms, 2, 0, scratch, 64, 64, 5000); err != nil {
		t.Errorf("get by the rank that is left: %v", err)
	}
}
