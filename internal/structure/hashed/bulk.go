package hashed

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/network/am"
)

// A message carries many elements as records:
//
//	slot, bytes of the key, multiplicity or bytes of the value   three words
//	key, value                                                    bytes
//
// A record that fits into no message lies in a separate block. The receiver of the address owns the block:
//
//	slot, 2^64-1, bytes of the record, address of the block       four words

// Record is one element in a message.
type Record struct {
	Slot       uint32
	Key, Value []byte
	Times      uint64 // multiplicity in a multiset, 1 otherwise

	// If Block is not 0, the record lies in this block of Size bytes, and the fields above are
	// not set, except Slot.
	Block, Size uint64
}

const (
	recordHead   = 3 * 8
	blockRecord  = 4 * 8
	elsewhereKey = ^uint64(0)

	// MinCapacity is the least length of the Out of Export.
	MinCapacity = blockRecord
)

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

func appendWords(b []byte, words ...uint64) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// AppendRecord appends r, whose Block is 0.
func (k Kind) AppendRecord(b []byte, r *Record) []byte {
	extra := r.Times
	if k == Map {
		extra = uint64(len(r.Value))
	}
	b = appendWords(b, uint64(r.Slot), uint64(len(r.Key)), extra)
	b = append(b, r.Key...)
	return append(b, r.Value...)
}

// Record decodes the first record of b, and returns the rest of b. ok is false if b ends in
// the middle of the record, or if the record has no key.
func (k Kind) Record(b []byte) (r Record, rest []byte, ok bool) {
	if len(b) < recordHead {
		return r, nil, false
	}
	r.Slot, r.Times = uint32(word(b, 0)), 1
	key, value := word(b, 1), uint64(0)
	switch {
	case key == elsewhereKey:
		if len(b) < blockRecord {
			return r, nil, false
		}
		r.Size, r.Block = word(b, 2), word(b, 3)
		return r, b[blockRecord:], r.Block != 0
	case k == Multiset:
		r.Times = word(b, 2)
	case k == Map:
		value = word(b, 2)
	}
	b = b[recordHead:]
	if key == 0 || key > uint64(len(b)) || value > uint64(len(b))-key {
		return r, nil, false
	}
	r.Key, r.Value = b[:key:key], b[key:key+value:key+value]
	return r, b[key+value:], true
}

// export fills out with records of elements: those behind ga in slot n, and those of the slots
// behind n.
func (t *table) export(n uint32, ga uint64, out []byte) (am.Result, error) {
	if len(out) < MinCapacity {
		return am.Result{}, am.ErrMalformed
	}
	b := out[:0:len(out)]
	for full := false; n < t.slots; n, ga = n+1, 0 {
		var err error
		if b, ga, full, err = t.exportSlot(b, n, ga); err != nil {
			return am.Result{}, err
		}
		if full {
			break
		}
	}
	r := am.Result{Val0: uint64(n), Val1: ga, N: len(b)}
	if len(b) > 0 { // of slots whose locks were held
		return r, nil
	}
	return r, t.check()
}

// exportSlot appends to b the elements of slot n behind ga, or all if ga is 0. If b has no room for all of
// them, full is true, and the next call continues behind last. A slot is divided only if it does not fit into
// one message. So changes by other ranks between the two calls matter only there.
func (t *table) exportSlot(b []byte, n uint32, ga uint64) (_ []byte, last uint64, full bool, err error) {
	l, err := t.slot(n)
	if err != nil || loadWord(&l.count) == 0 {
		return b, 0, false, err
	}
	if l, err = t.hold(n); err != nil {
		return b, 0, false, err
	}
	defer l.release()
	at := l.first
	if ga != 0 {
		if at, err = t.behind(l, n, ga); err != nil {
			return b, 0, false, err
		}
	}
	if len(b) > 0 {
		if fits, err := t.fits(at, t.most(l), cap(b)-len(b)); err != nil || !fits {
			return b, ga, true, err
		}
	}
	for left := t.most(l); at != 0 && left > 0; left-- {
		e, err := t.element(at)
		if err != nil {
			return b, ga, false, err
		}
		before := len(b)
		if b, err = t.exportElement(b, n, e); err != nil || len(b) == before {
			t.keepTombstones() // another rank may remove the element behind which the next call begins
			return b, ga, true, err
		}
		ga, at = at, e.next
	}
	return b, ga, false, nil
}

// fits reports whether left bytes are enough for the records of the elements from at on, of
// which there are most at most.
func (t *table) fits(at, most uint64, left int) (bool, error) {
	for ; at != 0 && most > 0; most-- {
		e, err := t.element(at)
		if err != nil {
			return false, err
		}
		left -= recordHead + len(e.key) + len(e.value)
		if left < 0 {
			return false, nil
		}
		at = e.next
	}
	return true, nil
}

// exportElement appends one element to b if its capacity allows that.
func (t *table) exportElement(b []byte, n uint32, e element) ([]byte, error) {
	left := cap(b) - len(b)
	r := Record{Slot: n, Key: e.key, Value: e.value, Times: t.kind.extra(e.node)}
	size := recordHead + len(e.key) + len(e.value)
	switch {
	case size <= left:
		return t.kind.AppendRecord(b, &r), nil
	case size <= cap(b) || left < blockRecord:
		return b, nil
	}
	ga, err := t.newBlock(t.kind.AppendRecord(make([]byte, 0, size), &r))
	if err != nil {
		return b, err
	}
	return appendWords(b, uint64(n), elsewhereKey, uint64(size), ga), nil
}

// eachRecord inserts or removes the elements of the records in b. Val0 is how many elements
// are new, or how many were there.
func (t *table) eachRecord(op Op, b []byte) (r am.Result, _ error) {
	h := holder{table: t}
	defer h.release()
	for len(b) > 0 {
		record, rest, ok := t.kind.Record(b)
		if !ok || record.Block != 0 {
			return r, am.ErrMalformed
		}
		l, err := h.hold(record.Slot)
		if err != nil {
			return r, err
		}
		var one am.Result
		switch {
		case op == Delete:
			one, err = t.remove(l, record.Slot, record.Key, record.Times, record.Value)
		case t.kind == Multiset:
			one, err = t.insert(l, record.Slot, record.Key, nil, record.Times)
		default: // a map keeps the value that it has
			one, err = t.insert(l, record.Slot, record.Key, record.Value, 0)
		}
		if err != nil {
			return r, err
		}
		r.Val0 += one.Val0
		b = rest
	}
	return r, nil
}
