package ring

import (
	"bytes"
	"encoding/binary"
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
					e.Seen = put // of which the sender has put in some itself
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

// records returns records, one behind the other, as they lie in a ring. The payloads are
// zeros.
func records(recs ...Record) []byte {
	var b []byte
	for _, r := range recs {
		b = binary.NativeEndian.AppendUint64(b, uint64(r))
		b = append(b, make([]byte, r.Span()-8)...)
	}
	return b
}

// The agent refuses records that do not fit, or that cannot come from another host, and changes
// nothing.
func TestDeliverRefuses(t *testing.T) {
	const size = 128
	for _, bad := range []struct {
		name    string
		tail    uint64
		records []byte
	}{
		{"no record", 0, make([]byte, 8)},
		{"more than the ring", 0, records(NewRecord(Large, 9), NewRecord(Eager, 40), NewRecord(Eager, 40), NewRecord(Eager, 8))},
		{"a gap", 8, records(NewRecord(Last, 0))},
		{"far behind", size, records(NewRecord(Last, 0))},
		{"before the beginning", ^uint64(7), records(NewRecord(Last, 0))},
		{"half a word", 0, make([]byte, 12)},
		{"half a record", 0, records(NewRecord(Eager, 40))[:16]},
		{"a head of 2^60 bytes", 0, binary.NativeEndian.AppendUint64(nil, uint64(NewRecord(Eager, 1<<60)))},
		{"a size that wraps", 0, binary.NativeEndian.AppendUint64(nil, uint64(NewRecord(Eager, 1<<61-1)))},
		{"too long for the ring", 0, records(NewRecord(Eager, 56))},
		{"an address", 0, records(NewRecord(Direct, 100))},
		{"an unknown kind", 0, records(NewRecord(7, 0))},
		{"a last record with a message", 0, binary.NativeEndian.AppendUint64(nil, uint64(NewRecord(Last, 8)))},
		{"more than the address space", 0, records(NewRecord(Large, MaxMessage+1))},
	} {
		_, e, _ := newRing(size)
		before := *e
		if e.Deliver(bad.tail, bad.records) {
			t.Errorf("%s: it is taken", bad.name)
		}
		if _, ok := e.Peek(); ok || *e != before {
			t.Errorf("%s: it has changed the ring", bad.name)
		}
	}
	_, e, _ := newRing(size)
	if !e.Deliver(0, nil) || !e.Deliver(0, records(NewRecord(Eager, 48), NewRecord(Eager, 48))) || !e.Deliver(112, records(NewRecord(Last, 0))) {
		t.Error("what fits is refused")
	}
}

// FuzzDeliver delivers records of any shape and takes out those that are valid. Memory beyond the
// ring stays as it is.
func FuzzDeliver(f *testing.F) {
	f.Add(uint64(0), records(NewRecord(Eager, 5), NewRecord(Large, 1<<20)), []byte{})
	f.Add(uint64(0), records(NewRecord(Eager, 48)), records(NewRecord(Eager, 48), NewRecord(Last, 0)))
	f.Add(uint64(8), binary.NativeEndian.AppendUint64(nil, uint64(NewRecord(Eager, 1<<60))), []byte{1})
	f.Fuzz(func(t *testing.T, tail uint64, first, second []byte) {
		const size = 128
		_, e, guard := newRing(size)
		for _, b := range [][]byte{first, second, first} {
			if e.Deliver(tail, b) {
				tail += uint64(len(b))
			}
			takeAll(t, e)
		}
		if guard[0] != ^uint64(0) {
			t.Error("memory beyond the ring has changed")
		}
	})
}

// FuzzRing takes records out of a ring in which another process has written anything.
func FuzzRing(f *testing.F) {
	f.Add(records(NewRecord(Eager, 5), NewRecord(Direct, 1<<20), NewRecord(Last, 0)), uint8(0))
	f.Add(records(NewRecord(Eager, 48), NewRecord(Eager, 48)), uint8(9))
	f.Add(binary.NativeEndian.AppendUint64(nil, uint64(NewRecord(Eager, 1<<60))), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		const size = 128
		_, e, guard := newRing(size)
		copy(unsafe.Slice((*byte)(e.data(0)), size), data)
		e.Skip(uint64(at) % 16 * 8)
		takeAll(t, e)
		if guard[0] != ^uint64(0) {
			t.Error("memory beyond the ring has changed")
		}
	})
}

// takeAll takes out the valid records of a ring, but no more than it may hold.
func takeAll(t *testing.T, e *Endpoint) {
	for range e.Size / 8 {
		rec, ok := e.Peek()
		if !ok || !e.Valid(rec) {
			return
		}
		if n := min(rec.Size(), rec.Span()-8); rec.Span() <= uint64(e.Size) {
			e.Payload(unsafe.Pointer(unsafe.SliceData(make([]byte, n+1))), n)
		} else {
			t.Fatalf("record %#x is valid in a ring of %d bytes", uint64(rec), e.Size)
		}
		e.Remove(rec)
	}
}

// The sender learns of each loss if it acknowledges it before the next one.
func TestLosses(t *testing.T) {
	_, e, _ := newRing(128)
	r := e.Ring
	if l := r.Losses(); l.Any() || l.Has(0) || l.Has(16) {
		t.Errorf("losses %+v of an empty ring", l)
	}
	for _, end := range []uint64{16, 48} {
		r.Lose(end)
		if l := r.Losses(); !l.Any() || !l.Has(end) || l.Has(end-16) || l.Has(end+16) {
			t.Errorf("losses %+v after one at %d", l, end)
		}
		r.Acknowledge(end)
	}
	r.Lose(64)
	r.Lose(96)
	if l := r.Losses(); l.Has(48) || !l.Has(64) || !l.Has(96) {
		t.Errorf("losses %+v after two at once", l)
	}
}
