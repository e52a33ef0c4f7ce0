package meet

import (
	"errors"
	"reflect"
	"testing"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

var (
	anArrival      = Arrival{Question: AboutReadiness, Link: "a.b>c.d", ID: 1<<32 | 7, Side: side.Receiving, Index: 3, Size: 5, Body: []byte("why")}
	anIntroduction = Introduction{
		Way: Watching, Sums: true, Element: element.Type{Kind: datatype.Float64, Values: 3}, Levels: 2, Every: 10, Bounds: directory.Range{Lo: 5, Hi: 900},
		Members: []byte{2, 8}, Grid: &points.Grid{Sizes: []int{3, 300}, Fortran: true}, Conserve: conserve.Multiply, Weights: Share{All: Entries{100, 1 << 63}, Own: Entries{30, 7}},
	}
	anAgreement = Agreement{
		ID: 9, Sums: true, Levels: 4, Bounds: directory.Range{Lo: 0, Hi: 10}, Every: [2]int{1, 2}, Members: [2][]byte{{2, 8}, {6, 0}},
	}
	aPiece     = Piece{ID: 9, Side: side.Sending, Index: 4, Last: true, Part: []byte{1, 2, 3}, Why: "no"}
	aFinding   = Finding{Missing: 17, Twice: directory.None, Senders: [2]int{1, 2}, Partners: Partners{{3, []byte{2, 8}}, {4, []byte{6, 0}}}}
	anOutcome  = problem(ErrGrids, "they differ")
	aDeparture = Departure{Left: true, Met: true, Missing: []int{3, 5}}
	aReport    = Report{Fact: Waits, Model: "a", Name: "a.b>c.d"}
	anInquiry  = Inquiry{Manner: AskNow, Number: 4, Model: "a", Field: "b", Own: "c", Link: "a.b>c.d"}
	aSituation = Situation{Absent: "no", Members: []byte{2, 8}, Order: "none"}
	aFetch     = Fetch{ID: 9, Side: side.Receiving, Index: 4, Offset: 1000}
	aPart      = Part{Outcome: anOutcome, Left: 70, Bytes: []byte{1, 2}}
)

// arrives checks that a message is the same at the other end, and that no beginning of it is
// accepted.
func arrives[T any](t *testing.T, sent T, b []byte, decode func([]byte) (T, error)) {
	t.Helper()
	if got, err := decode(b); err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("%+v arrived as %+v: %v", sent, got, err)
	}
	for n := range b {
		if got, err := decode(b[:n:n]); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%d of %d bytes arrived as %+v: %v", n, len(b), got, err)
		}
	}
	if _, err := decode(append(b, 0)); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("%+v with a byte behind it: %v", sent, err)
	}
}

// decodeArrival is DecodeArrival in a run of many processes.
func decodeArrival(b []byte) (Arrival, error) { return DecodeArrival(b, MaxRanks) }

func TestMessages(t *testing.T) {
	arrives(t, anArrival, anArrival.Encode(), decodeArrival)
	arrives(t, anIntroduction, anIntroduction.Encode(), DecodeIntroduction)
	arrives(t, anAgreement, anAgreement.Encode(), DecodeAgreement)
	arrives(t, aPiece, aPiece.Encode(), DecodePiece)
	arrives(t, aFinding, aFinding.Encode(), DecodeFinding)
	arrives(t, anOutcome, anOutcome.Encode(), DecodeOutcome)
	arrives(t, aDeparture, aDeparture.Encode(), DecodeDeparture)
	arrives(t, aReport, aReport.Encode(), DecodeReport)
	arrives(t, anInquiry, anInquiry.Encode(), DecodeInquiry)
	arrives(t, aSituation, aSituation.Encode(), DecodeSituation)
	arrives(t, aFetch, aFetch.Encode(), DecodeFetch)
	arrives(t, aPart, aPart.Encode(), DecodePart)
}

// fuzz gives a decoder any bytes. Accepted values are the same when they are encoded and decoded
// again.
func fuzz[T any](f *testing.F, seed []byte, encode func(*T) []byte, decode func([]byte) (T, error)) {
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := decode(b)
		if err != nil {
			if !errors.Is(err, wire.ErrMalformed) {
				t.Error(err)
			}
			return
		}
		if second, err := decode(encode(&first)); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v became %+v: %v", first, second, err)
		}
	})
}

func FuzzDecodeArrival(f *testing.F) {
	fuzz(f, anArrival.Encode(), (*Arrival).Encode, decodeArrival)
}

func FuzzDecodeIntroduction(f *testing.F) {
	fuzz(f, anIntroduction.Encode(), (*Introduction).Encode, DecodeIntroduction)
}

func FuzzDecodeAgreement(f *testing.F) {
	fuzz(f, anAgreement.Encode(), (*Agreement).Encode, DecodeAgreement)
}

func FuzzDecodePiece(f *testing.F) {
	fuzz(f, aPiece.Encode(), (*Piece).Encode, DecodePiece)
}

func FuzzDecodeFinding(f *testing.F) {
	fuzz(f, aFinding.Encode(), (*Finding).Encode, DecodeFinding)
}

func FuzzDecodeReport(f *testing.F) {
	fuzz(f, aReport.Encode(), (*Report).Encode, DecodeReport)
}

func FuzzDecodeInquiry(f *testing.F) {
	fuzz(f, anInquiry.Encode(), (*Inquiry).Encode, DecodeInquiry)
}
