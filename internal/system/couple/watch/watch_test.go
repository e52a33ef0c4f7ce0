package watch

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/goacp/goacp/internal/acptest/script"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// TestScripts plays the scripts in testdata. The functions of the commands describe them.
func TestScripts(t *testing.T) {
	script.Play(t, func() *stage { return new(stage) }, script.Commands[*stage]{
		"link": (*stage).link, "wish": (*stage).wish, "begin": (*stage).begin, "comes": (*stage).comes, "decide": (*stage).decide,
	})
}

// stage is the coordinator of a link and its senders.
type stage struct {
	c       *Coordinator
	asked   *Message // the request of the coordinator to all senders
	senders []sender
}

// sender is one sender: the last step that it has come to, and the last round that it has answered.
type sender struct {
	step     int64
	answered uint64
}

// link begins with the coordinator of a link:
//
//	link senders=N receivers=N
func (s *stage) link(a *script.Arguments) string {
	senders := a.Value("senders", 1)
	s.c, s.senders = NewCoordinator(senders, a.Value("receivers", 1)), make([]sender, senders)
	for i := range s.senders {
		s.senders[i].step = -1
	}
	return ""
}

// wish lets a receiver want the next step:
//
//	wish
func (s *stage) wish(*script.Arguments) string {
	s.c.Wish()
	return fmt.Sprintf("all want a step: %v\n", s.c.Wanted())
}

// tell sends a message of the coordinator to all senders or receivers.
func (s *stage) tell(m Message) string {
	if m.Kind == Chosen {
		return fmt.Sprintf("round %d: all receivers get step %d\n", m.Round, m.Step)
	}
	s.asked = &m
	return fmt.Sprintf("round %d: all senders send the first step from %d on\n", m.Round, m.Step)
}

// begin begins to choose the step after the given step:
//
//	begin after=N
func (s *stage) begin(a *script.Arguments) string {
	m, begins := s.c.Begin(int64(a.Value("after", -1)))
	if !begins {
		return "it has begun\n"
	}
	return s.tell(m)
}

// comes lets a sender come to a step:
//
//	comes SENDER STEP [full]
func (s *stage) comes(a *script.Arguments) string {
	from, step := &s.senders[a.Number(a.Next())], int64(a.Number(a.Next()))
	before := from.step
	from.step = step
	hasSpace := !a.Flag("full")
	if !s.asked.Due(from.answered, step) {
		return "it sends nothing\n"
	}
	m := s.asked.Answer(before, step, hasSpace)
	from.answered = m.Round
	s.c.Answered(&m)
	if m.Kind == Sent {
		return fmt.Sprintf("it sends the step, decided: %v\n", s.c.Decided())
	}
	return fmt.Sprintf("it has passed the step, decided: %v\n", s.c.Decided())
}

// decide ends the round:
//
//	decide
func (s *stage) decide(*script.Arguments) string { return s.tell(s.c.Decide()) }

// TestMessage: a message is the same at the other end, and no part of it is taken for one.
func TestMessage(t *testing.T) {
	sent := Message{ID: 9, To: side.Receiving, Kind: Chosen, Round: 7, Step: -100}
	b := sent.Encode()
	if got, err := Decode(b); err != nil || got != sent {
		t.Errorf("%+v arrived as %+v: %v", sent, got, err)
	}
	for n := range b {
		if got, err := Decode(b[:n:n]); err != wire.ErrMalformed {
			t.Errorf("%d of %d bytes arrived as %+v: %v", n, len(b), got, err)
		}
	}
}

// FuzzDecode: a message decoded from any bytes is the same when it is encoded and decoded again.
func FuzzDecode(f *testing.F) {
	f.Add((&Message{ID: 9, To: side.Receiving, Kind: Chosen, Round: 7, Step: 100}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := Decode(b)
		if err != nil {
			return
		}
		if second, err := Decode(first.Encode()); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v became %+v: %v", first, second, err)
		}
	})
}
