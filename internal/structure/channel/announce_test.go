package channel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ring"
)

// words returns a message of words.
func words(w ...uint64) []byte {
	var b []byte
	for _, v := range w {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// TestHostileAnnouncements: an impossible announcement is refused, and a bounded number of possible ones is
// kept.
func TestHostileAnnouncements(t *testing.T) {
	h := open(t, globaltest.Config{Size: 2, Mode: bridge.ModeTCP})[0]
	l := h.router.Layout(1)
	from, size := l.HeapOffset(), l.Heap
	good := []uint64{1, 1, 1 << 20, from, ring.Data(4096), 0}
	if _, err := h.serveAnnounce(fabric.Request{Body: words(good...)}); err != nil {
		t.Fatalf("a good announcement: %v", err)
	}
	for name, change := range map[string]func(w []uint64){
		"the same again":         func(w []uint64) {},
		"from no rank":           func(w []uint64) { w[0] = 2 },
		"from itself":            func(w []uint64) { w[0] = 0 },
		"from a rank that wraps": func(w []uint64) { w[0] = math.MaxUint64 },
		"number 0":               func(w []uint64) { w[1] = 0 },
		"far too early":          func(w []uint64) { w[1] = ring.MaxEndpoints + 1 },
		"no handle":              func(w []uint64) { w[1], w[2] = 2, 0 },
		"a long handle":          func(w []uint64) { w[1], w[2] = 2, 1<<32 },
		"before the heap":        func(w []uint64) { w[1], w[3] = 2, from-16 },
		"behind the heap":        func(w []uint64) { w[1], w[3] = 2, from+size-4096+16 },
		"not aligned":            func(w []uint64) { w[1], w[3] = 2, from+8 },
		"a position that wraps":  func(w []uint64) { w[1], w[3] = 2, math.MaxUint64-15 },
		"no size":                func(w []uint64) { w[1], w[4] = 2, 0 },
		"an odd size":            func(w []uint64) { w[1], w[4] = 2, 3972 },
		"a size that wraps":      func(w []uint64) { w[1], w[4] = 2, math.MaxUint64-127 },
		"too large":              func(w []uint64) { w[1], w[4] = 2, 1<<30 },
		"near and far":           func(w []uint64) { w[1], w[5] = 2, 2 },
	} {
		w := append([]uint64(nil), good...)
		change(w)
		if _, err := h.serveAnnounce(fabric.Request{Body: words(w...)}); !errors.Is(err, global.ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(h.pairs[pairKey{1, true}].unexpected); n != 1 {
		t.Errorf("%d announcements are kept", n)
	}
}

// FuzzDecodeAnnouncement: an accepted announcement is encoded to the same bytes again.
func FuzzDecodeAnnouncement(f *testing.F) {
	a := announcement{From: 1, Number: 2, Handle: 3, Pos: 4096, Size: 1 << 20, Near: 5}
	f.Add(a.encode())
	f.Add(a.encode()[1:])
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := decodeAnnouncement(b)
		if err == nil && !bytes.Equal(a.encode(), b) {
			t.Errorf("%x became %x", b, a.encode())
		}
	})
}
