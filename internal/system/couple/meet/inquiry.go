package meet

import "github.com/goacp/goacp/internal/system/couple/wire"

// Manner is how a process asks the registry for a field.
type Manner uint64

// The manners.
const (
	AskWait   Manner = iota // and waits until the field cannot come
	AskNoMore               // it waits no more
	AskNow                  // what is known
	manners
)

// Inquiry is the question whether a field of a model may still come.
type Inquiry struct {
	Manner Manner
	Number uint64 // of the question of the process, so that it can end it
	Model  string
	Field  string

	// With AskNow: the model that asks, and for which link it waits.
	Own, Link string
}

// Encode returns the inquiry as a message.
func (q *Inquiry) Encode() []byte {
	var w wire.Writer
	w.Number(uint64(q.Manner))
	w.Number(q.Number)
	w.Text(q.Model)
	w.Text(q.Field)
	if q.Manner == AskNow {
		w.Text(q.Own)
		w.Text(q.Link)
	}
	return w
}

// DecodeInquiry is the inverse of Inquiry.Encode. Fails with wire.ErrMalformed.
func DecodeInquiry(b []byte) (q Inquiry, err error) {
	r := wire.NewReader(b)
	q.Manner, q.Number = Manner(r.Count(int(manners-1))), r.Number()
	q.Model, q.Field = r.Text(), r.Text()
	if q.Manner == AskNow {
		q.Own, q.Link = r.Text(), r.Text()
	}
	return q, r.End()
}

// Inquire answers a question of a member. With AskWait the answer is an Outcome and comes when the field cannot come any more;
// it is empty if the member asks no more. With AskNow it is a Situation. AskNoMore has an empty answer.
func (g *Registry) Inquire(q *Inquiry, from int, t Ticket) []Answer {
	by := asker{from, q.Number}
	switch q.Manner {
	case AskNow:
		n := g.situation(q)
		return []Answer{{To: t, Body: n.Encode()}}
	case AskNoMore:
		return append(g.forgo(by, q.Model), Answer{To: t})
	}
	return g.ask(by, q.Model, q.Field, t)
}
