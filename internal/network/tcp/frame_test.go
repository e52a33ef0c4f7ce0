package tcp

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

// recorded are the headers whose wire form is kept in testdata/frames.txt, so
// that a change of the format without a change of Version is noticed.
var recorded = []struct {
	name string
	h    header
}{
	{"hello", header{kind: kindHello, member: 3, id: helloWord, pos: 5, size: 6}},
	{"welcome", header{kind: kindWelcome, code: uint8(statusStranger), member: 5, id: helloWord}},
	{"put-inline", header{kind: kindPut, id: 0x100000002, pos: 0x1008, size: 8, arg: 0x0807060504030201}},
	{"put-long", header{kind: kindPut, id: 7, pos: 1 << 43, size: 300 << 20}},
	{"put-words", header{kind: kindPut, width: 8, id: 7, pos: 1 << 43, size: 64 << 10}},
	{"get-words", header{kind: kindGet, width: 8, id: 8, pos: 4096, size: 12}},
	{"get", header{kind: kindGet, id: 8, pos: 4096, size: 5 << 32}},
	{"cas4", header{kind: kindAtomic, code: uint8(fabric.OpCas), width: 4, id: 9, pos: 4100, arg: 1, compare: 2}},
	{"copy", header{kind: kindCopy, member: 2, id: 10, pos: 4096, size: 64, arg: 8192}},
	{"reply", header{kind: kindReply, id: 9, pos: 42}},
	{"reply-outcomes", header{kind: kindReply, id: 9, pos: 42, size: 4080}},
	{"reply-range", header{kind: kindReply, code: uint8(statusRange), id: 9, pos: 1, size: 2}},
	{"reply-text", header{kind: kindReply, code: uint8(statusOther), id: 9, arg: 512}},
	{"data", header{kind: kindData, id: 8, size: 9}},
	{"notify", header{kind: kindNotify, code: 1, width: 0x43, member: 77, arg: 88}},
	{"goodbye", header{kind: kindGoodbye}},
	{"call", header{kind: kindCall, code: 2, width: 0x41, id: 11, size: 640, arg: 24}},
	{"answer", header{kind: kindAnswer, id: 11, size: 24}},
	{"deferred", header{kind: kindDeferred, id: 11}},
	{"series-put", header{kind: kindSeries, width: uint8(fabric.SeriesPut), member: 240, id: 12, size: 3840, arg: 8}},
	{"series-get", header{kind: kindSeries, width: uint8(fabric.SeriesGet), member: 2, id: 13, size: 16, arg: 256}},
	{"series-cas4", header{kind: kindSeries, code: uint8(fabric.OpCas), width: uint8(fabric.SeriesAtomic), member: 3, id: 14, size: 72, arg: 4}},
	{"values", header{kind: kindValues, id: 14, size: 24}},
	{"fault", header{kind: kindFault, code: uint8(statusRange), member: 2, id: 14, pos: 1, size: 4}},
}

func TestRecordedFrames(t *testing.T) {
	text, err := os.ReadFile("testdata/frames.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if name, frame, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(name, "#") {
			want[name] = frame
		}
	}
	if len(want) != len(recorded) {
		t.Errorf("testdata/frames.txt has %d frames, the test %d", len(want), len(recorded))
	}
	for _, r := range recorded {
		var b [headerSize]byte
		r.h.encode(&b)
		if got := hex.EncodeToString(b[:]); got != want[r.name] {
			t.Errorf("%s is encoded as\n%s, recorded as\n%s", r.name, got, want[r.name])
		}
		var h header
		if err := h.decode(&b); err != nil || h != r.h {
			t.Errorf("%s is decoded as %+v, %v", r.name, h, err)
		}
	}
}

// TestNumbers: a call and a notice carry numbers of 16 bits.
func TestNumbers(t *testing.T) {
	for _, k := range []kind{kindCall, kindNotify} {
		for _, want := range []uint16{0, 1, 0xff, 0x100, 0x4102, 1<<16 - 1} {
			h := header{kind: k}
			h.setNumber(want)
			var b [headerSize]byte
			h.encode(&b)
			var got header
			if err := got.decode(&b); err != nil || got.number() != want {
				t.Errorf("number %#x in a frame of kind %d arrived as %#x, %v", want, k, got.number(), err)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	change := func(at int, to byte) (b [headerSize]byte) {
		(&header{kind: kindReply}).encode(&b)
		b[at] = to
		return b
	}
	cases := []struct {
		name string
		b    [headerSize]byte
		want string
	}{
		{"version", change(0, Version+1), "another version of the agent protocol"},
		{"kind 0", change(1, 0), "frame of unknown kind 0"},
		{"kind beyond", change(1, byte(kindEnd)), "frame of unknown kind 17"},
		{"status", change(2, byte(statusEnd)), "reply with unknown status 10"},
		{"outcomes", change(26, 1), "reply with 65536 bytes of outcomes"},
		{"half an outcome", change(24, 8), "reply with 8 bytes of outcomes"},
	}
	for _, c := range cases {
		if err := new(header).decode(&c.b); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	var text [headerSize]byte
	(&header{kind: kindReply, code: uint8(statusOther), arg: textMax + 1}).encode(&text)
	const want = "reply with a text of 513 bytes, of which 512 are allowed"
	if err := new(header).decode(&text); err == nil || err.Error() != want {
		t.Errorf("text: %v, want %q", err, want)
	}
}

// TestDecodeRefusesSeries: the number of items, their size and the length of a series have to fit together.
func TestDecodeRefusesSeries(t *testing.T) {
	put, get, atomic := uint8(fabric.SeriesPut), uint8(fabric.SeriesGet), uint8(fabric.SeriesAtomic)
	for _, h := range []header{
		{kind: kindSeries, width: put, arg: 8}, // no items
		{kind: kindSeries, width: put, member: fabric.SeriesItems + 1, size: (fabric.SeriesItems + 1) * 16, arg: 8}, // too many
		{kind: kindSeries, width: put, member: 1 << 31, size: 16, arg: 8},                                           // the same
		{kind: kindSeries, width: put, member: 2, size: 16},                                                         // items of no bytes
		{kind: kindSeries, width: get, member: 2, size: 16, arg: fabric.SeriesBytes + 1},                            // large ones
		{kind: kindSeries, width: put, member: 2, size: 31, arg: 8},                                                 // half an item
		{kind: kindSeries, width: put, member: 2, size: 48, arg: 8},                                                 // more bytes than items
		{kind: kindSeries, member: 1, size: 16, arg: 8},                                                             // of no kind
		{kind: kindSeries, width: atomic + 1, member: 1, size: 16, arg: 8},                                          // of another kind
		{kind: kindSeries, width: atomic, member: 1, size: 16, arg: 8},                                              // no atomic
		{kind: kindSeries, code: uint8(fabric.OpAdd), width: atomic, member: 1, size: 16, arg: 2},                   // of another width
		{kind: kindSeries, code: uint8(fabric.OpCas), width: atomic, member: 1, size: 16, arg: 8},                   // without the second operand
		{kind: kindValues}, {kind: kindValues, size: fabric.CallMax + 1}, {kind: kindFault}, {kind: kindFault, code: 6}, // too few, too many, no failure, another
	} {
		var b [headerSize]byte
		h.encode(&b)
		if err := new(header).decode(&b); err == nil {
			t.Errorf("%+v is accepted", h)
		}
	}
}

// FuzzDecode checks that an accepted header has a bounded payload and is
// encoded to the same bytes again.
func FuzzDecode(f *testing.F) {
	for _, r := range recorded {
		var b [headerSize]byte
		r.h.encode(&b)
		f.Add(b[:])
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var b, again [headerSize]byte
		copy(b[:], frame)
		var h header
		if h.decode(&b) != nil {
			return
		}
		if h.failed() && h.payload() > textMax {
			t.Errorf("text of %d bytes", h.payload())
		}
		if n := h.payload(); h.succeeded() && (n > uint64(len(packet{})) || n%outcomeSize != 0) {
			t.Errorf("%d bytes of outcomes", n)
		}
		if n := h.payload(); (h.kind == kindSeries || h.kind == kindValues) && (n == 0 || n > fabric.CallMax) {
			t.Errorf("%d bytes of a series", n)
		}
		if h.encode(&again); !bytes.Equal(b[:], again[:]) {
			t.Errorf("%x became %x", b, again)
		}
	})
}
