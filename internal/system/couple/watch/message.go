package watch

import (
	"math"

	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Kind is what a Message says.
type Kind uint64

// The kinds.
const (
	Wish   Kind = iota // a receiver to the coordinator: it wants a step
	Ask                // the coordinator to a sender: in this round, send the first step that is not less than this one
	Sent               // a sender to the coordinator: this step, in this round
	Passed             // a sender to the coordinator: it has come to this step, and had passed the one of this round
	Chosen             // the coordinator to a receiver: this round has brought this step from all senders
	Over               // one end to another: there will be no more steps
	kinds
)

// Message is what one end of a watched link tells another one.
type Message struct {
	ID    uint64    // of the link
	To    side.Side // of the end that is told
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

// Due reports whether a sender that has answered a round before answers an Ask now that it comes to a step. A nil Ask is none.
func (m *Message) Due(answered uint64, step int64) bool {
	return m != nil && m.Round != answered && step >= m.Step
}

// Answer returns the answer of a sender to an Ask when it comes to a step. before is the step before it, and room says whether
// there is memory for a message to each receiver. If the kind is Sent, the sender sends the step.
func (m *Message) Answer(before, step int64, room bool) Message {
	if before >= m.Step || !room {
		return Message{Kind: Passed, Round: m.Round, Step: step}
	}
	return Message{Kind: Sent, Round: m.Round, Step: step}
}
