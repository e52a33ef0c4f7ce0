package meet

import (
	"math"

	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Agreement is the common data of all ranks of a link after all introductions, or the reason why they cannot have a
// link.
type Agreement struct {
	Outcome
	ID      uint64
	Sums    bool // senders send sums
	Levels  int
	Bounds  directory.Range // of the points of all ranks
	Every   [2]int          // of each side
	Members [2][]byte       // of each side, as a list
}

// Encode returns the agreement as a message.
func (a *Agreement) Encode() []byte {
	var w wire.Writer
	a.Outcome.append(&w)
	w.Number(a.ID)
	w.Flag(a.Sums)
	w.Number(uint64(a.Levels))
	w.Signed(a.Bounds.Lo)
	w.Signed(a.Bounds.Hi)
	for i := range a.Members {
		w.Number(uint64(a.Every[i]))
		w.Bytes(a.Members[i])
	}
	return w
}

// DecodeAgreement is the inverse of Agreement.Encode. Fails with wire.ErrMalformed.
func DecodeAgreement(b []byte) (a Agreement, err error) {
	r := wire.NewReader(b)
	a.Outcome = readOutcome(r)
	a.ID, a.Sums, a.Levels = r.Number(), r.Flag(), r.Count(MaxLevels)
	a.Bounds = directory.Range{Lo: r.Signed(), Hi: r.Signed()}
	for i := range a.Members {
		a.Every[i] = r.Count(math.MaxInt32)
		a.Members[i] = r.Bytes()
	}
	if !valid(a.Bounds) {
		r.Fail()
	}
	return a, r.End()
}

// refusal returns the answer to ranks that cannot have a link.
func refusal(why Outcome) []byte {
	a := Agreement{Outcome: why}
	return a.Encode()
}
