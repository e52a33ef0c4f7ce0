// Package wire encodes the messages of processes that couple fields: numbers of variable length, and byte strings
// after their length.
package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// ErrMalformed: a message that no correct process sends. It is a global.ErrProtocol.
var ErrMalformed = fmt.Errorf("%w about a link", global.ErrProtocol)

// Writer is a message that grows at its end.
type Writer []byte

// Number appends a number.
func (w *Writer) Number(x uint64) { *w = binary.AppendUvarint(*w, x) }

// Signed appends a number with a sign.
func (w *Writer) Signed(x int64) { *w = binary.AppendVarint(*w, x) }

// Side appends a side.
func (w *Writer) Side(s side.Side) { w.Number(uint64(s)) }

// Bytes appends the length of a string of bytes, and the string.
func (w *Writer) Bytes(b []byte) {
	w.Number(uint64(len(b)))
	*w = append(*w, b...)
}

// Flag appends a flag.
func (w *Writer) Flag(set bool) {
	x := uint64(0)
	if set {
		x = 1
	}
	w.Number(x)
}

// Text appends a text as Bytes does.
func (w *Writer) Text(s string) { w.Bytes([]byte(s)) }

// Reader reads a message. If a part is missing or out of range, this part and all later ones are zero, and End fails.
type Reader struct {
	rest []byte
	bad  bool
}

// NewReader returns a reader of a message, which must not change.
func NewReader(message []byte) *Reader { return &Reader{rest: message} }

// Left returns how many bytes have not been read.
func (r *Reader) Left() int { return len(r.rest) }

// Number returns a number.
func (r *Reader) Number() uint64 {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

// Signed returns a number with a sign.
func (r *Reader) Signed() int64 {
	x, n := binary.Varint(r.rest)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

// Count returns a number that is at most limit.
func (r *Reader) Count(limit int) int {
	x := r.Number()
	if x > uint64(limit) {
		r.Fail()
		return 0
	}
	return int(x)
}

// Side returns a side.
func (r *Reader) Side() side.Side { return side.Side(r.Count(int(side.Receiving))) }

// Flag reports whether a flag is set.
func (r *Reader) Flag() bool { return r.Count(1) == 1 }

// Bytes returns a string of bytes, which is a part of the message.
func (r *Reader) Bytes() []byte {
	n := r.Number()
	if n > uint64(len(r.rest)) {
		r.Fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// Fail makes End fail.
func (r *Reader) Fail() { r.rest, r.bad = nil, true }

// Text returns a text.
func (r *Reader) Text() string { return string(r.Bytes()) }

// End fails with ErrMalformed unless all of the message has been read.
func (r *Reader) End() error {
	if r.bad || len(r.rest) > 0 {
		return ErrMalformed
	}
	return nil
}
