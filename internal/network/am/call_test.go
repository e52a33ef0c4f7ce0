package am

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
)

// newView returns a view in memory of this test, of rank 3.
func newView(t testing.TB) *heapview.View {
	t.Helper()
	const size, from = 4 * heap.Unit, 2 * heap.Unit
	mem := make([]uint64, (from+size)/8)
	metadata := make([]uint64, heap.MetadataSize(size)/8+1)
	over := func() error { return nil }
	return heapview.New(heapview.Config{
		Base: unsafe.Pointer(&mem[0]), From: from, Size: size, Rank: 3, Over: over,
		Heap: heap.Open(heap.Config{
			Metadata: unsafe.Pointer(&metadata[0]), Base: from, Size: size, Over: over,
			Purge: func(off, n uint64) error { return nil },
		}),
	})
}

// TestMessages sends calls and answers through their messages.
func TestMessages(t *testing.T) {
	s := newView(t)
	block, _ := s.Alloc(5)
	inBlock, _ := s.Bytes(block, 5)
	copy(inBlock, "hello")
	calls := []Call{
		{Op: OpAlloc, Args: [4]uint64{100}},
		{Op: OpVector, GA: 77, Args: [4]uint64{1, 2, 3, 4}, Data: []byte("hel"), More: []byte("lo"), Out: make([]byte, 9)},
		{Op: OpVector, GA: 77, Block: Block{GA: block, Data: 3, More: 2}, Out: make([]byte, 2*MaxOut)},
	}
	for _, c := range calls {
		reply := make([]byte, c.ReplySize())
		request := c.Append(nil)
		if len(request) != c.RequestSize() {
			t.Errorf("a message of %d bytes, announced with %d", len(request), c.RequestSize())
		}
		got, err := Decode(s, c.Op, request, reply)
		if err != nil {
			t.Fatal(err)
		}
		if got.Op != c.Op || got.GA != c.GA || got.Args != c.Args || len(got.Out) != min(len(c.Out), MaxOut) {
			t.Errorf("%+v arrived as %+v", c, got)
		}
		if c.Op == OpVector && (string(got.Data) != "hel" || string(got.More) != "lo") {
			t.Errorf("bytes arrived as %q and %q", got.Data, got.More)
		}
		n := copy(got.Out, "result")
		m, err := Answer(reply, Result{Val0: 8, Val1: 9, N: n}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Outcome(reply[:m])
		if err != nil || r.Val0 != 8 || r.Val1 != 9 || !bytes.Equal(c.Out[:r.N], []byte("result")[:n]) {
			t.Errorf("result %+v with %q, %v", r, c.Out[:r.N], err)
		}
	}
}

func TestErrorsTravel(t *testing.T) {
	for _, want := range known[1:] {
		reply := make([]byte, resultHead)
		n, err := Answer(reply, Result{}, fmt.Errorf("wrapped: %w", want))
		if err != nil {
			t.Fatal(err)
		}
		var c Call
		if _, err := c.Outcome(reply[:n]); !errors.Is(err, want) {
			t.Errorf("%v arrived as %v", want, err)
		}
	}
	unknown := errors.New("something else")
	if _, err := Answer(make([]byte, resultHead), Result{}, unknown); err != unknown {
		t.Errorf("an error without a number: %v", err)
	}
}

// TestErrorNumbers: the numbers are those of processes that were built before.
func TestErrorNumbers(t *testing.T) {
	for _, c := range []struct {
		number uint64
		err    error
	}{
		{0, nil}, {1, heap.ErrLimit}, {2, heap.ErrFull}, {3, heap.ErrNotAllocated}, {4, heapview.ErrBadAddress}, {5, ErrElsewhere},
		{6, ErrMalformed}, {7, ErrGone}, {8, ErrBadIterator}, {9, fabric.ErrPeerDead}, {10, heap.ErrDamaged}, {11, ErrExclusive},
	} {
		if number, ok := ErrorNumber(c.err); number != c.number || !ok {
			t.Errorf("%v has the number %d, want %d", c.err, number, c.number)
		}
		if err := NumberedError(c.number); err != c.err {
			t.Errorf("number %d is %v, want %v", c.number, err, c.err)
		}
	}
	if err := NumberedError(12); !errors.Is(err, ErrMalformed) {
		t.Errorf("number 12: %v", err)
	}
}

// FuzzDecode: no message makes the agent fail, or read beyond the message or its heap.
func FuzzDecode(f *testing.F) {
	c := Call{Op: OpVector, GA: 1, Data: []byte("data"), More: []byte("more"), Out: make([]byte, 8)}
	f.Add(c.Append(nil), 32)
	c.Block = Block{GA: 3<<44 + 2*heap.Unit, Data: 3, More: ^uint64(0)}
	f.Add(c.Append(nil), 0)
	s := newView(f)
	f.Fuzz(func(t *testing.T, message []byte, capacity int) {
		reply := make([]byte, min(max(capacity, 0), 1<<16))
		c, err := Decode(s, OpVector, message, reply)
		if err != nil {
			return
		}
		sum := byte(0)
		for _, b := range [][]byte{c.Data, c.More, c.Out} {
			for _, x := range b {
				sum += x
			}
		}
		if _, err := Answer(reply, Result{Val0: uint64(sum), N: len(c.Out)}, nil); err != nil {
			t.Error(err)
		}
	})
}
