package hashed

import (
	"encoding/binary"
	"iter"

	"github.com/goacp/goacp/internal/site"
)

// Many elements travel together as records:
//
//	slot, bytes of the key, multiplicity or bytes of the value   three words
//	key, value                                                    bytes
//
// A record that no message has room for lies in a block of its own, which belongs to
// whoever gets its address:
//
//	slot, 2^64-1, bytes of the record, address of the block       four words

// Record is one element on its way.
type Record struct {
	Slot       uint32
	Key, Value []byte
	Times      uint64 // multiplicity in a multiset, 1 otherwise

	// If not 0, nothing else is known: the record lies in this block of Size bytes.
	Block, Size uint64
}

const (
	recordHead   = 3 * 8
	blockRecord  = 4 * 8
	elsewhereKey = ^uint64(0)

	// MinRoom is the least length of the Out of Export.
	MinRoom = blockRecord
)

func word(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }

func appendWords(b []byte, words ...uint64) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// AppendRecord appends r, which is no block.
func (k Kind) AppendRecord(b []byte, r *Record) []byte {
	extra := r.Times
	if k == Map {
		extra = uint64(len(r.Value))
	}
	b = appendWords(b, uint64(r.Slot), uint64(len(r.Key)), extra)
	b = append(b, r.Key...)
	return append(b, r.Value...)
}

// Records are those in b. A record that is cut off or has no key ends them; ok is false
// then.
func (k Kind) Records(b []byte) iter.Seq2[Record, bool] {
	return func(yield func(Record, bool) bool) {
		for len(b) > 0 {
			r, rest, ok := k.record(b)
			if !yield(r, ok) || !ok {
				return
			}
			b = rest
		}
	}
}

// record takes the first record from b.
func (k Kind) record(b []byte) (r Record, rest []byte, ok bool) {
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

// export fills out with the records of the elements from those behind ga in slot n on.
func (t *table) export(n uint32, ga uint64, out []byte) (site.Result, error) {
	if len(out) < MinRoom {
		return site.Result{}, site.ErrBadCall
	}
	w := writer{t: t, b: out[:0]}
	for ; n < t.slots; n, ga = n+1, 0 {
		full, err := w.slot(n, &ga)
		if err != nil {
			return site.Result{}, err
		}
		if full {
			break
		}
	}
	return site.Result{Vals: [2]uint64{uint64(n), ga}, N: len(w.b)}, nil
}

// writer writes records, up to the capacity of b.
type writer struct {
	t *table
	b []byte
}

// slot writes the elements of slot n behind *ga, or all if that is 0. If there is no room
// for all of them, it reports that and leaves the last it wrote in *ga.
func (w *writer) slot(n uint32, ga *uint64) (full bool, err error) {
	l, err := w.t.slot(n)
	if err != nil || loadWord(&l.count) == 0 {
		return false, err
	}
	if err := l.acquire(w.t.s); err != nil {
		return false, err
	}
	defer l.release()
	at := l.first
	if *ga != 0 {
		if at, err = w.t.behind(l, *ga); err != nil {
			return false, err
		}
	}
	for left := l.count; at != 0 && left > 0; left-- {
		e, err := w.t.element(at)
		if err != nil {
			return false, err
		}
		if ok, err := w.add(n, e); !ok || err != nil {
			return true, err
		}
		*ga, at = at, e.next
	}
	return false, nil
}

// add writes one element if there is room for it.
func (w *writer) add(n uint32, e element) (bool, error) {
	room := cap(w.b) - len(w.b)
	r := Record{Slot: n, Key: e.key, Value: e.value, Times: w.t.kind.extra(e.node)}
	size := recordHead + len(e.key) + len(e.value)
	switch {
	case size <= room:
		w.b = w.t.kind.AppendRecord(w.b, &r)
		return true, nil
	case size <= cap(w.b) || room < blockRecord:
		return false, nil
	}
	ga, err := w.t.newBlock(w.t.kind.AppendRecord(make([]byte, 0, size), &r))
	if err != nil {
		return false, err
	}
	w.b = appendWords(w.b, uint64(n), elsewhereKey, uint64(size), ga)
	return true, nil
}

// importAll inserts the records in b.
func (t *table) importAll(b []byte) (r site.Result, err error) {
	for record, ok := range t.kind.Records(b) {
		if !ok || record.Block != 0 {
			return r, site.ErrBadCall
		}
		times := uint64(0) // in a map: what is there stays
		if t.kind == Multiset {
			times = record.Times
		}
		one, err := t.insert(record.Slot, record.Key, record.Value, times)
		if err != nil {
			return r, err
		}
		r.Vals[0] += one.Vals[0]
	}
	return r, nil
}

// deleteAll removes what the records in b tell of.
func (t *table) deleteAll(b []byte) error {
	for record, ok := range t.kind.Records(b) {
		if !ok || record.Block != 0 {
			return site.ErrBadCall
		}
		if _, err := t.remove(record.Slot, record.Key, record.Times); err != nil {
			return err
		}
	}
	return nil
}
