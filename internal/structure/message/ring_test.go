package message

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
)

// newRing returns both ends of a new ring.
func newRing() (*writer, *reader) {
	words := make([]uint64, ringBytes/8)
	r := ring{unsafe.Pointer(unsafe.SliceData(words))}
	return &writer{ring: r}, &reader{ring: r, from: 3}
}

// randomRecord returns a record and the bytes of its message.
func randomRecord(rnd *rand.Rand) (record, []byte) {
	l := Label{World: rnd.Uint64(), Group: rnd.Uint64(), Use: Use(rnd.IntN(1 << useBits)), Tag: int32(rnd.Uint32())}
	switch rnd.IntN(4) {
	case 0:
		return record{kind: kindDirect, label: l, size: rnd.Uint64N(maxMessage + 1), id: rnd.Uint64(), addr: rnd.Uint64()}, nil
	case 1:
		return record{kind: kindRelease, id: rnd.Uint64()}, nil
	}
	n := rnd.IntN(100)
	if rnd.IntN(4) == 0 {
		n = rnd.IntN(eagerMax + 1)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return record{kind: kindMessage, label: l, size: uint64(n)}, b
}

// TestRingModel puts random records into a ring and takes them out, and compares with a queue.
func TestRingModel(t *testing.T) {
	type entry struct {
		record
		payload []byte
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	w, r := newRing()
	var queue []entry
	refused, filling := 0, true
	for range 20_000 {
		if (rnd.IntN(4) == 0) != filling {
			rec, b := randomRecord(rnd)
			if w.put(&rec, b) {
				queue = append(queue, entry{rec, b})
				continue
			}
			refused, filling = refused+1, false
			if len(queue) == 0 {
				t.Fatalf("an empty ring has no room for %d bytes", len(b))
			}
		}
		rec, b, ok, err := r.next()
		if err != nil || ok != (len(queue) > 0) || ok != r.any() {
			t.Fatalf("a record: %v, want %v, any: %v, %v", ok, len(queue) > 0, r.any(), err)
		}
		if !ok {
			filling = true
			continue
		}
		if want := queue[0]; rec != want.record || !bytes.Equal(b, want.payload) {
			t.Fatalf("record %+v with %d bytes, want %+v with %d", rec, len(b), want.record, len(want.payload))
		}
		r.take(&rec)
		queue = queue[1:]
	}
	if refused == 0 {
		t.Error("the ring was never full")
	}
}

// TestWindows: a ring has room for two windows of a reduction, wherever they begin.
func TestWindows(t *testing.T) {
	for at := 0; at < 100; at++ {
		w, r := newRing()
		for range at { // moves the ends by odd amounts
			rec := record{kind: kindMessage, size: 4000}
			if !w.put(&rec, make([]byte, rec.size)) {
				t.Fatal("no room")
			}
			if _, _, ok, err := r.next(); !ok || err != nil {
				t.Fatal(ok, err)
			}
			r.take(&rec)
		}
		for i := range 2 * reduceWindow {
			rec := record{kind: kindMessage, size: reducePiece}
			if !w.put(&rec, make([]byte, rec.size)) {
				t.Errorf("no room for piece %d at %d", i, w.pos)
			}
		}
	}
}

// FuzzRing: whatever another process writes to a ring, the reader finds whole records in it, or an
// error.
func FuzzRing(f *testing.F) {
	rec := record{kind: kindMessage, label: Label{World: 1}, size: 5}
	f.Add(uint16(0), rec.encode([]byte("12345\x00\x00\x00")))
	rec = record{kind: kindDirect, size: 1 << 20, id: 1, addr: 4096}
	f.Add(uint16(8), rec.encode(nil))
	f.Add(uint16(ringData/8-1), []byte{1, 2})
	f.Fuzz(func(t *testing.T, word uint16, data []byte) {
		_, r := newRing()
		pos := uint64(word) * 8 % ringData
		r.pos.Store(pos)
		copy(unsafe.Slice((*byte)(r.at(pos)), ringData-pos), data)
		for range ringData / 8 {
			rec, payload, ok, err := r.next()
			if err != nil && !errors.Is(err, global.ErrProtocol) {
				t.Fatal(err)
			}
			if err != nil || !ok {
				return
			}
			if rec.kind == kindMessage && uint64(len(payload)) != rec.size || rec.kind != kindMessage && payload != nil {
				t.Fatalf("record %+v with %d bytes", rec, len(payload))
			}
			for range payload { // touches all of it
			}
			r.take(&rec)
		}
	})
}

// FuzzDecode: a request that is a record is the one that this record makes.
func FuzzDecode(f *testing.F) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		rec, payload := randomRecord(rnd)
		f.Add(rec.encode(payload))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		rec, payload, err := decode(b)
		if err != nil {
			if !errors.Is(err, global.ErrProtocol) {
				t.Fatal(err)
			}
			return
		}
		again, same, err := decode(rec.encode(payload))
		if err != nil || again != rec || !bytes.Equal(payload, same) {
			t.Fatalf("record %+v becomes %+v: %v", rec, again, err)
		}
	})
}
