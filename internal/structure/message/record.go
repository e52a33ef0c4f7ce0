package message

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
)

// kind tells what a record is. No kind is 0.
type kind uint8

// The kinds of records.
const (
	kindSkip    kind = 1 + iota // the next record is at the beginning of the ring
	kindMessage                 // a message, whose bytes follow
	kindDirect                  // a message that lies in the sender's process
	kindRelease                 // the receiver has copied a direct message, or has failed to
	kindEnded                   // the sender neither sends nor takes a message with the label, since a member is gone
	kindLacking                 // the sender does not send the rest of a message, since a member has failed to copy it
)

// The first word of a record: kind, use of the label, and bytes of the message.
const (
	kindBits  = 3
	useBits   = 3
	sizeShift = kindBits + useBits
)

// maxMessage is the longest message: more than the address space of a process holds.
const maxMessage = 1 << 48

// record is one entry of a stream, apart from the bytes of a message.
type record struct {
	kind  kind
	label Label
	size  uint64 // of the message, or of what is skipped; see below for other kinds
	id    uint64 // of a direct message of the sender
	addr  uint64 // of a direct message: where it lies in the sender's process
}

// The size of a release is refused if the receiver has failed to copy the message, otherwise 0. That of an end is the member that
// is gone, or has failed to copy a message.
const refused = 1

// maxHead is the greatest number of words before the bytes of a message.
const maxHead = 6

// headWords is the number of words before the bytes of a message, by kind.
var headWords = [1 << kindBits]int{kindSkip: 1, kindMessage: 4, kindDirect: 6, kindRelease: 2, kindEnded: 4, kindLacking: 4}

// words returns what a record consists of.
func (r *record) words() (w [maxHead]uint64) {
	w[0] = uint64(r.kind) | uint64(r.label.Use)<<kindBits | r.size<<sizeShift
	switch r.kind {
	case kindRelease:
		w[1] = r.id
	case kindMessage, kindDirect, kindEnded, kindLacking:
		w[1], w[2], w[3] = r.label.World, r.label.Group, uint64(uint32(r.label.Tag))
		w[4], w[5] = r.id, r.addr
	}
	return w
}

// kindOf returns the kind of a record by its first word.
func kindOf(word uint64) kind { return kind(word & (1<<kindBits - 1)) }

// sizeOf returns the size of a record by its first word.
func sizeOf(word uint64) uint64 { return word >> sizeShift }

// parse is the reverse of words. The words behind those of the kind are not looked at.
func parse(w *[maxHead]uint64) record {
	r := record{kind: kindOf(w[0]), size: sizeOf(w[0])}
	switch r.kind {
	case kindRelease:
		r.id = w[1]
	case kindMessage, kindDirect, kindEnded, kindLacking:
		r.label = Label{
			World: w[1], Group: w[2], Use: Use(w[0] >> kindBits & (1<<useBits - 1)), Tag: int32(uint32(w[3])),
		}
		if r.kind == kindDirect {
			r.id, r.addr = w[4], w[5]
		}
	}
	return r
}

// encode returns the request that carries the record and the bytes of a message.
func (r *record) encode(payload []byte) []byte {
	w := r.words()
	b := make([]byte, 0, 8*headWords[r.kind]+len(payload))
	for _, word := range w[:headWords[r.kind]] {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return append(b, payload...)
}

// decode takes a request apart that another process has sent. The payload is a part of b. Fails
// with global.ErrProtocol.
func decode(b []byte) (r record, payload []byte, err error) {
	if len(b) < 8 {
		return r, nil, fmt.Errorf("%w: a record of %d bytes", global.ErrProtocol, len(b))
	}
	first := binary.LittleEndian.Uint64(b)
	n := headWords[kindOf(first)]
	if n == 0 || kindOf(first) == kindSkip || len(b) < 8*n {
		return r, nil, fmt.Errorf("%w: a record of kind %d with %d bytes", global.ErrProtocol, kindOf(first), len(b))
	}
	var w [maxHead]uint64
	for i := range n {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	r, payload = parse(&w), b[8*n:]
	return r, payload, r.check(uint64(len(payload)))
}

// check returns an error if the record is not one that goes with n bytes behind it.
func (r *record) check(n uint64) error {
	follow := uint64(0)
	if r.kind == kindMessage {
		follow = r.size
	}
	if follow != n || r.size > maxMessage || r.kind == kindRelease && r.size > refused {
		return fmt.Errorf("%w: a record of kind %d and size %d before %d bytes", global.ErrProtocol, r.kind, r.size, n)
	}
	return nil
}
