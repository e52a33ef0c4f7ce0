package thread

import (
	"encoding/binary"
	"errors"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
)

// An answer begins with a byte: answerDone, and the answer follows; or answerRefused, and the reason follows.
const (
	answerDone = iota
	answerRefused

	refusalRoom = 512 // bytes of an answer that has a reason
)

// done writes an answer to reply and returns its length.
func done(reply, answer []byte) (int, error) {
	if len(reply) < 1+len(answer) {
		return 0, am.ErrMalformed
	}
	reply[0] = answerDone
	return 1 + copy(reply[1:], answer), nil
}

// refused writes the reason of a refusal to reply and returns the length of the answer.
func refused(reply []byte, why error) (int, error) {
	if len(reply) == 0 {
		return 0, am.ErrMalformed
	}
	reply[0] = answerRefused
	return 1 + copy(reply[1:], why.Error()), nil
}

// either is refused if there is an error, and otherwise done.
func either(reply, answer []byte, err error) (int, error) {
	if err != nil {
		return refused(reply, err)
	}
	return done(reply, answer)
}

// decodeAnswer returns the answer, or the reason of the refusal as an error.
func decodeAnswer(b []byte) ([]byte, error) {
	switch {
	case len(b) >= 1 && b[0] == answerDone:
		return b[1:], nil
	case len(b) > 1 && b[0] == answerRefused:
		return nil, errors.New(string(b[1:]))
	}
	return nil, am.ErrMalformed
}

// later answers a request after Serve has returned.
type later struct {
	reply []byte
	to    fabric.Completion
}

// defers lets the answer to a request come later.
func defers(r fabric.Request) *later { return &later{r.Reply, r.Later.Defer()} }

// answer answers. It does not wait.
func (l *later) answer(answer []byte, why error) {
	n, err := either(l.reply, answer, why)
	l.to.Complete(uint64(n), err)
}

func appendInt32(b []byte, v int32) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }
func appendInt64(b []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) }

// reader reads a message. After a value that is not there, bad is true, and all values are 0.
type reader struct {
	b   []byte
	bad bool
}

// take returns the next n bytes.
func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) int32() int32 {
	if b := r.take(4); b != nil {
		return int32(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (r *reader) int64() int64 {
	if b := r.take(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// end returns am.ErrMalformed unless the message has ended with the last value.
func (r *reader) end() error {
	if r.bad || len(r.b) != 0 {
		return am.ErrMalformed
	}
	return nil
}
