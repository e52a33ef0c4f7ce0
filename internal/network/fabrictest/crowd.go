package fabrictest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// testCrowd lets every member put to and get from every member at the same time,
// with several goroutines each and many operations under way, of all sizes.
func testCrowd(t *testing.T, ms []Member) {
	const goroutines, rounds = 2, 40
	n := len(ms)
	const slot = 70_000
	errs := make(chan error)
	for from := range n {
		for g := range goroutines {
			scratch := Pages(t, 2*n*slot)
			go func() { errs <- converse(ms, from, (from*goroutines+g)*slot, slot, rounds, scratch) }()
		}
	}
	for range n * goroutines {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// converse puts a pattern into every member's memory at offset at, which belongs to
// the caller, and gets it back, without waiting between put and get.
func converse(ms []Member, from, at, slot, rounds int, scratch []byte) error {
	for round := range rounds {
		size := sizes[round%(len(sizes)-1)]
		var outcomes []*Outcome
		for to := range ms {
			src, dst := scratch[2*to*slot:][:size+1], scratch[(2*to+1)*slot:][:size+1]
			fill(src, byte(from*16+to+round))
			clear(dst)
			pos := ms[to].Pos + uint64(at)
			w, r := NewOutcome(), NewOutcome()
			ms[from].Transport.Put(to, pos, unsafe.Pointer(&src[0]), uint64(size), w)
			ms[from].Transport.Get(to, pos, unsafe.Pointer(&dst[0]), uint64(size), r)
			outcomes = append(outcomes, w, r)
		}
		for i, o := range outcomes {
			if _, err := o.Wait(); err != nil {
				return fmt.Errorf("rank %d, round %d, operation %d: %w", from, round, i, err)
			}
		}
		for to := range ms {
			if err := same(scratch[(2*to+1)*slot:][:size], scratch[2*to*slot:][:size]); err != nil {
				return fmt.Errorf("rank %d, round %d, got back from %d: %w", from, round, to, err)
			}
		}
	}
	return nil
}

// testClose closes a transport with operations under way, and uses it afterwards.
func testClose(t *testing.T, ms []Member) {
	scratch := Pages(t, MemorySize)
	var outcomes []*Outcome
	for range 50 {
		o := NewOutcome()
		outcomes = append(outcomes, o)
		ms[0].Transport.Get(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), 1<<20, o)
	}
	if ms[0].can().Collective {
		for _, o := range outcomes {
			o.Must(t) // no operation may be under way
		}
		closeAll(t, ms)
	} else if err := ms[0].Transport.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	fill(scratch, 3)
	want := append([]byte(nil), scratch...)
	for i, o := range outcomes {
		select {
		case <-o.done:
		default:
			t.Fatalf("operation %d had not completed when Close returned", i)
		}
		if _, err := o.Wait(); err != nil && !errors.Is(err, fabric.ErrClosed) {
			t.Errorf("operation %d: %v, want success or ErrClosed", i, err)
		}
	}
	o := NewOutcome()
	ms[0].Transport.Put(1, ms[1].Pos, unsafe.Pointer(&scratch[0]), 8, o)
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrClosed) {
		t.Errorf("put after Close: %v, want ErrClosed", err)
	}
	if err := ms[0].Transport.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := same(scratch, want); err != nil {
		t.Errorf("a get wrote after Close had returned: %v", err)
	}
}

// closeAll closes all members at the same time.
func closeAll(t *testing.T, ms []Member) {
	t.Helper()
	errs := make(chan error)
	for _, m := range ms {
		go func() { errs <- m.Transport.Close() }()
	}
	for range ms {
		if err := <-errs; err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

// testStranger names members that do not exist.
func testStranger(t *testing.T, ms []Member) {
	scratch := Pages(t, 4096)
	binary.NativeEndian.PutUint64(scratch, 1)
	for _, peer := range []int{-1, 2, 1 << 20} {
		o := NewOutcome()
		ms[0].Transport.Put(peer, ms[1].Pos, unsafe.Pointer(&scratch[0]), 8, o)
		if _, err := o.Wait(); err == nil || errors.Is(err, errNever) {
			t.Errorf("put to rank %d of 2: %v, want an error", peer, err)
		}
	}
}
