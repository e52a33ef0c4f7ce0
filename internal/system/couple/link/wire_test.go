package link

import (
	"errors"
	"reflect"
	"testing"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/directory"
)

var (
	anAttendance   = attendance{question: aboutReadiness, name: "a.b>c.d", id: 1<<32 | 7, side: receiving, index: 3, size: 5, body: []byte("why")}
	anIntroduction = introduction{
		way: watching, sums: true, element: Element{datatype.Float64, 3}, levels: 2, every: 10, bounds: directory.Range{Lo: 5, Hi: 900}, members: []byte{2, 8}, fileEntries: 100, ownEntries: 30,
	}
	anAcquaintance = acquaintance{
		id: 9, sums: true, levels: 4, bounds: directory.Range{Lo: 0, Hi: 10}, every: [2]int{1, 2}, sides: [2][]byte{{2, 8}, {6, 0}},
	}
	aSaying      = saying{id: 9, to: receiving, what: saysChosen, round: 7, step: 100}
	aHolding     = holding{id: 9, side: sending, index: 4, last: true, part: []byte{1, 2, 3}}
	anAcceptance = acceptance{there: address{number: 5, word: 64, bell: 128, slots: 4096}, post: 192, runs: []byte{0, 2}}
	aFinding     = finding{missing: 17, twice: directory.None, senders: [2]int{1, 2}, partners: partnerList{{3, []byte{2, 8}}, {4, []byte{6, 0}}}}
)

// arrives checks that a message is the same at the other end, and that no beginning of it is
// accepted.
func arrives[T any](t *testing.T, sent T, b []byte, decode func([]byte) (T, error)) {
	t.Helper()
	if got, err := decode(b); err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("%+v arrived as %+v: %v", sent, got, err)
	}
	for n := range b {
		if got, err := decode(b[:n:n]); !errors.Is(err, errMalformed) {
			t.Errorf("%d of %d bytes arrived as %+v: %v", n, len(b), got, err)
		}
	}
	if _, err := decode(append(b, 0)); !errors.Is(err, errMalformed) {
		t.Errorf("%+v with a byte behind it: %v", sent, err)
	}
}

func TestMessages(t *testing.T) {
	arrives(t, anAttendance, anAttendance.encode(), decodeAttendance)
	arrives(t, anIntroduction, anIntroduction.encode(), decodeIntroduction)
	arrives(t, anAcquaintance, anAcquaintance.encode(), decodeAcquaintance)
	arrives(t, aSaying, aSaying.encode(), decodeSaying)
	arrives(t, aHolding, aHolding.encode(), decodeHolding)
	arrives(t, anAcceptance, anAcceptance.encode(), decodeAcceptance)
	arrives(t, aFinding, aFinding.encode(), decodeFinding)
}

// fuzz gives a decoder any bytes. What it accepts is the same when it is encoded and decoded again.
func fuzz[T any](f *testing.F, seed []byte, encode func(*T) []byte, decode func([]byte) (T, error)) {
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := decode(b)
		if err != nil {
			if !errors.Is(err, errMalformed) {
				t.Error(err)
			}
			return
		}
		if second, err := decode(encode(&first)); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v became %+v: %v", first, second, err)
		}
	})
}

func FuzzDecodeAttendance(f *testing.F) {
	fuzz(f, anAttendance.encode(), (*attendance).encode, decodeAttendance)
}

func FuzzDecodeIntroduction(f *testing.F) {
	fuzz(f, anIntroduction.encode(), (*introduction).encode, decodeIntroduction)
}

func FuzzDecodeAcquaintance(f *testing.F) {
	fuzz(f, anAcquaintance.encode(), (*acquaintance).encode, decodeAcquaintance)
}

func FuzzDecodeSaying(f *testing.F) {
	fuzz(f, aSaying.encode(), (*saying).encode, decodeSaying)
}

func FuzzDecodeHolding(f *testing.F) {
	fuzz(f, aHolding.encode(), (*holding).encode, decodeHolding)
}

func FuzzDecodeFinding(f *testing.F) {
	fuzz(f, aFinding.encode(), (*finding).encode, decodeFinding)
}

func FuzzDecodeAcceptance(f *testing.F) {
	fuzz(f, anAcceptance.encode(), (*acceptance).encode, decodeAcceptance)
}
