package watch

import (
	"math"

	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Kind is the kind of a Message.
type Kind uint64

// The kinds.
const (
	Wish   Kind = iota // a receiver to the coordinator: it requests a step
	Ask                // the coordinator to a sender: in this round, send the first step that is not less than this step
	Sent               // a sender to the coordinator: this step, in this round
	Passed             // a sender to the coordinator: it is at this step, and had passed the step of this round
	Chosen             // the coordinator to a receiver: this round has brought this step from all senders
	Over               // one end to another: there are no more steps
	kinds
)

// Message is a message from one end of a watched link to another.
type Message struct {
	ID    uint64    // of the link
	To    side.Side // of the receiving end
	Kind  Kind
	Round uint64
	Step  int64
}

// Encode returns the message as it travels.
func (m *Message) Encode() []byte {
	var w wire.Writer
	w.Number(m.ID)
	w.Side(m.To)
	w.Number(uint64(m.Kind))
	w.Number(m.Round)
	w.Signed(m.Step)
	return w
}

// Decode is the inverse of Message.Encode. Fails with wire.ErrMalformed.
func Decode(b []byte) (m Message, err error) {
	r := wire.NewReader(b)
	m.ID, m.To = r.Number(), r.Side()
	m.Kind, m.Round, m.Step = Kind(r.Count(int(kinds-1))), uint64(r.Count(math.MaxInt)), r.Signed()
	return m, r.End()
}

// Due reports whether a sender replies to an Ask at a step, given the last round to which it has replied. A nil Ask
// is none.
func (m *Message) Due(answered uint64, step int64) bool {
	return m != nil && m.Round != answered && step >= m.Step
}

// Answer returns the reply of a sender to an Ask at a step. before is the previous step, and hasSpace reports whether
// there is memory for a message to each receiver. If the kind is Sent, the sender sends the step.
func (m *Message) Answer(before, step int64, hasSpace bool) Message {
	if before >= m.Step || !hasSpace {
		return Message{Kind: Passed, Round: m.Round, Step: step}
	}
	return Message{Kind: Sent, Round: m.Round, Step: step}
}
