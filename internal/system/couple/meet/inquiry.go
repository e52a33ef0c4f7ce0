package meet

import "github.com/goacp/goacp/internal/system/couple/wire"

// Manner is the kind of a request to the registry about a field.
type Manner uint64

// The manners.
const (
	AskWait   Manner = iota // and waits until the field cannot come
	AskNoMore               // it no longer waits
	AskNow                  // the current state
	manners
)

// Inquiry is the question whether a field of a model may still come.
type Inquiry struct {
	Manner Manner
	Number uint64 // of the question of the process, so that it can end it
	Model  string
	Field  string

	// With AskNow: the requesting model, and the link for which it waits.
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

// Inquire replies to a request of a member. With AskWait the reply is an Outcome, and is sent when the field can no
// longer be declared; it is empty if the member cancels the request. With AskNow it is a Situation. AskNoMore has an
// empty reply.
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
