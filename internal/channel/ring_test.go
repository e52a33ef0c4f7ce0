package channel

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// newRing returns both ends of a ring in memory of this test, whose size is its data's.
func newRing(size uint64) (sender, receiver *Endpoint, guard []uint64) {
	mem := make([]uint64, (HeadSize+size)/8+1)
	for i := range mem {
		mem[i] = ^uint64(0)
	}
	ring := (*Ring)(unsafe.Pointer(&mem[0]))
	ring.Clear(size)
	sender, receiver = new(Endpoint), new(Endpoint)
	sender.Set(Sender, true)
	sender.Attach(ring, size)
	receiver.Attach(ring, size)
	return sender, receiver, mem[len(mem)-1:]
}

// TestRingModel puts and removes records at random, by either way of putting them, and
// compares with a queue.
func TestRingModel(t *testing.T) {
	for _, size := range []uint64{MinRing - HeadSize, 176, 272, 4096 - HeadSize} {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, size))
		s, e, guard := newRing(size)
		var queue [][]byte
		var put, removed uint64
		for range 50_000 {
			if r.IntN(2) == 0 {
				b := make([]byte, r.IntN(int(s.Eager)+1))
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				rec := NewRecord(Eager, uint64(len(b)))
				if fits := s.Fits(rec.Span()); fits != (put-removed+rec.Span() <= Capacity(size)) {
					t.Fatalf("seed %d: %d bytes in a ring of %d: a record of %d fits: %v", seed, put-removed, size, rec.Span(), fits)
				} else if !fits {
					continue
				}
				if r.IntN(2) == 0 {
					s.Put(rec, unsafe.Pointer(unsafe.SliceData(b)), uint64(len(b)))
				} else {
					whole := make([]byte, rec.Span())
					*(*Record)(unsafe.Pointer(&whole[0])) = rec
					copy(whole[8:], b)
					if !e.Deliver(put, whole) {
						t.Fatalf("seed %d: a record of %d is refused", seed, len(b))
					}
					s.Skip(rec.Span())
				}
				put += rec.Span()
				queue = append(queue, b)
				continue
			}
			rec, ok := e.Peek()
			if ok != (len(queue) > 0) || ok != e.Changed(e.Ring) {
				t.Fatalf("seed %d: a record is there: %v, of %d", seed, ok, len(queue))
			}
			if !ok {
				continue
			}
			got := make([]byte, rec.Size())
			e.Payload(unsafe.Pointer(unsafe.SliceData(got)), rec.Size())
			if rec.Kind() != Eager || !bytes.Equal(got, queue[0]) {
				t.Fatalf("seed %d: record %#x with %x, expected %x", seed, uint64(rec), got, queue[0])
			}
			s.Ring.Goal = removed + rec.Span() + uint64(r.IntN(2))
			if reached := s.Ring.Goal == removed+rec.Span(); e.Remove(rec) != reached || reached != (s.Ring.Goal == NoGoal) {
				t.Fatalf("seed %d: the goal was reached: %v", seed, reached)
			}
			removed += rec.Span()
			queue = queue[1:]
		}
		if guard[0] != ^uint64(0) {
			t.Errorf("a ring of %d bytes has no end", size)
		}
	}
}

// What does not fit is refused: the agent must not believe what others send.
func TestDeliverRefuses(t *testing.T) {
	const size = 128
	_, e, _ := newRing(size)
	for _, bad := range []struct {
		tail uint64
		n    int
	}{{0, size}, {8, size - 8}, {size, 0}, {size, 8}, {^uint64(7), 8}, {0, 12}} {
		if e.Deliver(bad.tail, make([]byte, bad.n)) {
			t.Errorf("%d bytes behind %d are taken", bad.n, bad.tail)
		}
	}
	if !e.Deliver(0, nil) || !e.Deliver(size-8, nil) || !e.Deliver(0, make([]byte, size-8)) {
		t.Error("what fits is refused")
	}
}

func TestTable(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	first, e, err := table.New(Sender)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := table.New(0)
	if err != nil {
		t.Fatal(err)
	}
	if first == 0 || first == second || table.At(first.Index()) != e {
		t.Errorf("names %#x and %#x", first, second)
	}
	e.Count = 7
	request := uint64(first.Index())<<32 | uint64(e.Count) // as C does it
	if i, ok := Owner(request); !ok || i != first.Index() {
		t.Errorf("request %#x belongs to endpoint %d, %v", request, i, ok)
	}
	table.Recycle(first)
	again, e2, err := table.New(Quick)
	if err != nil || again.Index() != first.Index() || again == first || e2 != e {
		t.Errorf("the place of %#x became %#x, %v", first, again, err)
	}
	if e.Usable(first, Quick) || !e.Usable(again, Quick) || e.Usable(again, Sender|Quick) {
		t.Error("the endpoint has the name or the properties of another")
	}
	if e.Count != 7 {
		t.Errorf("after request 7 of a place comes the one after %d", e.Count)
	}
	for _, no := range []uint64{0, Finished(5), Counted(7), 1<<61 | request} {
		if _, ok := Owner(no); ok {
			t.Errorf("request %#x belongs to an endpoint", no)
		}
	}
}

// Long messages that C has sent, in a channel that has carried many bytes.
func TestSent(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct{ end, pos uint64 }{
		{16, 16}, {16, gib}, {4*gib - 8, 4*gib + 8}, {4 * gib, 4 * gib}, {4*gib + 16, 5 * gib}, {9*gib + 64, 10 * gib},
	} {
		n := Name(0xabc<<slotBits | 12345)
		request := 1<<61 | uint64(n)<<29 | test.end/8%(1<<29) // as C does it
		if name, ok := Sent(request); !ok || name != n {
			t.Errorf("request %#x is one of endpoint %#x, %v", request, name, ok)
		}
		e := Endpoint{Pos: test.pos}
		if end := e.Ends(request); end != test.end {
			t.Errorf("a record that ends at %d ends at %d, seen from %d", test.end, end, test.pos)
		}
	}
	for _, no := range []uint64{0, Finished(5), Counted(1 << 61), 5<<32 | 7} {
		if _, ok := Sent(no); ok {
			t.Errorf("request %#x is a message that C has sent", no)
		}
	}
}

// What an idle channel costs beside its ring.
func TestEndpointSize(t *testing.T) {
	if size := unsafe.Sizeof(Endpoint{}); size > 80 {
		t.Errorf("an endpoint has %d bytes", size)
	}
}
