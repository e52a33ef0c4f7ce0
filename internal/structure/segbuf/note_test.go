package segbuf

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
)

// good is a note with the largest possible values.
var good = note{kind: noteJoin, number: 7, control: 1<<44 - 40, buf: 1<<44 - 1 - 64, segment: 16, count: 4}

// TestDecode: a note is decoded as it was encoded, and a note with impossible memory is refused.
func TestDecode(t *testing.T) {
	if n, ok := decode(good.encode()); !ok || n != good {
		t.Errorf("%+v became %+v, %v", good, n, ok)
	}
	for name, change := range map[string]func(n *note){
		"no kind":                   func(n *note) { n.kind = 0 },
		"another kind":              func(n *note) { n.kind = 3 },
		"to neither end":            func(n *note) { n.toSource = 2 },
		"a position that wraps":     func(n *note) { n.buf = math.MaxUint64 },
		"a position of other ranks": func(n *note) { n.buf = 1 << 44 },
		"memory of two ranks":       func(n *note) { n.buf++ },
		"not aligned":               func(n *note) { n.control -= 4 },
		"a block of two ranks":      func(n *note) { n.control += 8 },
		"a block that wraps":        func(n *note) { n.control = math.MaxUint64 - 7 },
		"sizes that wrap":           func(n *note) { n.segment, n.count = 1<<40, 1<<40 },
		"a negative count":          func(n *note) { n.segment, n.count = 0, 1<<63 },
	} {
		n := good
		change(&n)
		if _, ok := decode(n.encode()); ok {
			t.Errorf("%s: %+v is accepted", name, n)
		}
	}
	for _, b := range [][]byte{nil, good.encode()[1:], append(good.encode(), 0)} {
		if _, ok := decode(b); ok {
			t.Errorf("%d bytes are accepted", len(b))
		}
	}
}

// FuzzDecode: an accepted note names memory of one rank, and is encoded to the same bytes again.
func FuzzDecode(f *testing.F) {
	f.Add(good.encode())
	f.Add((&note{kind: noteLeave, toSource: 1, number: math.MaxUint64}).encode())
	f.Add(binary.LittleEndian.AppendUint64(good.encode()[8:], 1<<63))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, ok := decode(b)
		if !ok {
			return
		}
		if !bytes.Equal(n.encode(), b) {
			t.Errorf("%x became %+v", b, n)
		}
		const end = 1 << 44
		if n.count > 0 && n.segment > end/n.count || n.buf+n.segment*n.count >= end || n.control >= end-controlSize {
			t.Errorf("%+v is not in the memory of one rank", n)
		}
	})
}
