package meet

import (
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Question is the purpose of a meeting of the ranks of a link.
type Question uint64

// The questions.
const (
	AboutIntroduction Question = iota // the common data of the ranks
	AboutReadiness                    // whether all are ready to connect
	AboutConnection                   // whether all are connected
	questions
)

// Arrival is the message of a rank to the host of a link to meet the other ranks there, and to leave.
type Arrival struct {
	Question Question
	Link     string // its name
	ID       uint64 // of the link; 0 when the ranks introduce themselves, since the host chooses it then
	Side     side.Side
	Index    int    // of the rank on its side
	Size     int    // of the side, in ranks
	Body     []byte // an Introduction, or the reason why the rank is not ready or not connected, or why it leaves permanently
}

// MaxRanks bounds the ranks of a side.
const MaxRanks = 1 << 20

// Encode returns the arrival as a message.
func (a *Arrival) Encode() []byte {
	var w wire.Writer
	w.Number(uint64(a.Question))
	w.Text(a.Link)
	w.Number(a.ID)
	w.Side(a.Side)
	w.Number(uint64(a.Index))
	w.Number(uint64(a.Size))
	w.Bytes(a.Body)
	return w
}

// DecodeArrival is the inverse of Arrival.Encode. Fails with wire.ErrMalformed, also if the run has fewer processes than the
// side has ranks.
func DecodeArrival(b []byte, procs int) (a Arrival, err error) {
	r := wire.NewReader(b)
	a.Question = Question(r.Count(int(questions - 1)))
	a.Link = r.Text()
	a.ID = r.Number()
	a.Side = r.Side()
	a.Index, a.Size = r.Count(MaxRanks), r.Count(min(procs, MaxRanks))
	a.Body = r.Bytes()
	if a.Index >= a.Size {
		r.Fail()
	}
	return a, r.End()
}

// key is the name of the meeting that the rank joins.
func (a *Arrival) key() meetingKey { return meetingKey{a.Question, a.Link, a.ID} }
