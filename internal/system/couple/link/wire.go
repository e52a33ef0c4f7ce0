package link

import "encoding/binary"

// writer makes a message.
type writer []byte

func (w *writer) number(x uint64) { *w = binary.AppendUvarint(*w, x) }
func (w *writer) signed(x int64)  { *w = binary.AppendVarint(*w, x) }

func (w *writer) bytes(b []byte) {
	w.number(uint64(len(b)))
	*w = append(*w, b...)
}

func (w *writer) flag(set bool) {
	x := uint64(0)
	if set {
		x = 1
	}
	w.number(x)
}

func (w *writer) text(s string) { w.bytes([]byte(s)) }

// reader reads a message. After the first thing that is not there, all others are zero.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) number() uint64 {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

func (r *reader) signed() int64 {
	x, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

// count returns a number that is at most limit.
func (r *reader) count(limit int) int {
	x := r.number()
	if x > uint64(limit) {
		r.fail()
		return 0
	}
	return int(x)
}

// flag returns whether a flag is set.
func (r *reader) flag() bool { return r.count(1) == 1 }

// bytes returns a part of the message.
func (r *reader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) fail() { r.rest, r.bad = nil, true }

// end fails unless all of the message has been read.
func (r *reader) end() error {
	if r.bad || len(r.rest) > 0 {
		return errMalformed
	}
	return nil
}
