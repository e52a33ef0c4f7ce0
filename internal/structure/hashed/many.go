package hashed

import (
	"encoding/binary"
	"errors"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// An operation on many keys carries out one operation on each of them. A message has the keys of one table as
// records. The answer has an outcome for each, in the same order. For Insert and Remove it is a byte: 0 or 1,
// or 1 and the number of an error. For Find it is
//
// 	element, multiplicity or bytes of the value, bytes that follow    three words
// 	value                                                             bytes, if Args[3] is 1
//
// If Find fails, it has 2^64-1 in place of the element, followed by the number of the error. If Out has no
// room for an outcome, the operation stops before the key. For the first key it leaves out the value instead.

// manyOps are the operations that exist for many keys.
var manyOps = [...]Op{Find, Insert, Remove}

// manyNumber returns the number of operation i of manyOps on many keys of a structure of a kind.
func manyNumber(kind Kind, i int) am.Op { return opNumber(kinds, Op(int(kind)<<2|i)) }

// Outcome is the result of an operation for one of many keys.
type Outcome struct {
	Done  bool   // Insert: the key was not there before; Remove and Find: it was there
	Elem  uint64 // Find: the element
	Extra uint64 // Find: its multiplicity, or the bytes of its value
	Value []byte // Find: the value if Many.Values is set; valid until the next key
	Err   error

	Table, Slot int // Find: where the key belongs
}

const (
	foundHead   = 3 * 8
	foundFailed = ^uint64(0)
	byteFailed  = 1 // the byte of an error is this flag and the error's number, which is not 0
)

// performMany carries out an operation, given by its number, on many keys of one table.
func performMany(view *heapview.View, number uint8, c *am.Call) (am.Result, error) {
	kind, i := Kind(number>>2), int(number&3)
	if kind >= kinds || i >= len(manyOps) {
		return am.Result{}, am.ErrMalformed
	}
	t, _, err := openCall(view, kind, c)
	if err != nil {
		return am.Result{}, err
	}
	return t.many(manyOps[i], c)
}

// many carries out op on the keys of the records in c.Data, as far as there is room for outcomes.
func (t *table) many(op Op, c *am.Call) (r am.Result, _ error) {
	h := holder{table: t}
	defer h.release()
	out := c.Out[:0:len(c.Out)]
	for b := c.Data; len(b) > 0; {
		record, rest, ok := t.kind.Record(b)
		if !ok || record.Block != 0 {
			return r, am.ErrMalformed
		}
		if op != Find && len(out) == cap(out) {
			break
		}
		o := h.do(op, record.Slot, record.Key, record.Value, c.Args[3])
		if errors.Is(o.Err, am.ErrExclusive) { // the keys behind it wait, too
			if len(out) == 0 {
				return r, o.Err
			}
			break
		}
		number, known := am.ErrorNumber(o.Err)
		if !known {
			return r, o.Err
		}
		if out, ok = appendOutcome(out, op, &o, number, c.Args[3] == 1); !ok {
			break
		}
		b = rest
	}
	return am.Result{N: len(out)}, nil
}

// do carries out op on one key of slot n.
func (h *holder) do(op Op, n uint32, key, value []byte, arg uint64) (o Outcome) {
	l, err := h.hold(n)
	if err != nil {
		return Outcome{Err: err}
	}
	var r am.Result
	did := h.kind.onValue(op, value)
	switch did {
	case Find:
		var e element
		if e, o.Err = h.search(l, key); o.Err == nil && e.node != nil {
			o.Done, o.Elem, o.Extra, o.Value = true, e.ga, h.kind.extra(e.node), e.value
		}
		return o
	case Insert:
		r, o.Err = h.insert(l, n, key, value, arg)
	case Remove:
		r, o.Err = h.remove(l, n, key, arg, nil)
	}
	o.Done = r.Val0 != 0 && o.Err == nil && did == op
	return o
}

// onValue returns the operation to carry out for a value. A map has no empty values, so inserting one removes
// the key.
func (k Kind) onValue(op Op, value []byte) Op {
	if k == Map && op == Insert && len(value) == 0 {
		return Remove
	}
	return op
}

// appendOutcome appends an outcome, whose error has a number, to b if its capacity allows that.
func appendOutcome(b []byte, op Op, o *Outcome, number uint64, values bool) ([]byte, bool) {
	if op != Find {
		if number != 0 {
			return append(b, byteFailed+byte(number)), true
		}
		if o.Done {
			return append(b, 1), true
		}
		return append(b, 0), true
	}
	if cap(b)-len(b) < foundHead {
		return b, false
	}
	if number != 0 {
		return appendWords(b, foundFailed, number, 0), true
	}
	value := o.Value
	if !values {
		value = nil
	}
	if len(value) > cap(b)-len(b)-foundHead {
		if len(b) > 0 {
			return b, false
		}
		value = nil
	}
	return append(appendWords(b, o.Elem, o.Extra, uint64(len(value))), value...), true
}

// outcome decodes the first outcome of b, and returns the rest of b. ok is false if b ends in the middle
// of it.
func outcome(op Op, b []byte) (o Outcome, rest []byte, ok bool) {
	switch {
	case op != Find && len(b) > 0:
		if o.Done = b[0] == 1; b[0] > 1 {
			o.Err = am.NumberedError(uint64(b[0]) - byteFailed)
		}
		return o, b[1:], true
	case op != Find || len(b) < foundHead:
		return o, nil, false
	}
	o.Elem, o.Extra = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	n := binary.LittleEndian.Uint64(b[16:])
	b = b[foundHead:]
	switch {
	case n > uint64(len(b)) || n > o.Extra:
		return Outcome{}, nil, false
	case o.Elem == foundFailed:
		if o.Err = am.NumberedError(o.Extra); o.Err == nil {
			return Outcome{}, nil, false
		}
		o.Elem, o.Extra = 0, 0
	default:
		o.Done, o.Value = o.Elem != 0, b[:n:n]
	}
	return o, b[n:], true
}
