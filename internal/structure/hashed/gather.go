package hashed

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// batchBytes is how many bytes of records a gatherer collects before they are inserted
// elsewhere.
const batchBytes = 1 << 20

// gatherer fetches the elements of one table, many at a time.
type gatherer struct {
	part
	slot uint32 // the next call begins in this slot
	elem uint64 // and behind this element of it; 0: at its beginning
	out  []byte // room for the records of one call

	records []byte // the gathered records; none of them is in a separate block
}

func (g *gatherer) more() bool { return uint64(g.slot) < g.at.Slots }

// gather gathers the next records, about batchBytes of them.
func (g *gatherer) gather() error {
	g.records = g.records[:0]
	for g.more() && len(g.records) < batchBytes {
		if err := g.step(); err != nil {
			return err
		}
	}
	return nil
}

// step gathers the records of one call.
func (g *gatherer) step() error {
	if g.c.mem.Detaches() {
		return g.detachedStep()
	}
	c := am.Call{Args: [4]uint64{3: g.elem}, Out: g.out}
	r, err := g.do(Export, g.slot, &c)
	if err != nil {
		return err
	}
	if next := uint32(r.Val0); next < g.slot || next == g.slot && r.Val1 == g.elem && r.N == 0 {
		return fmt.Errorf("%w: the answer has no element behind those of slot %d that are known", am.ErrMalformed, g.slot)
	}
	g.slot, g.elem = uint32(r.Val0), r.Val1
	for b := g.out[:r.N]; len(b) > 0; {
		record, rest, ok := g.kind.Record(b)
		b = rest
		switch {
		case !ok:
			return errors.Join(err, am.ErrMalformed)
		case record.Block != 0: // the block has to be freed in any case
			err = errors.Join(err, g.fetch(ga.Span{GA: record.Block, N: record.Size}))
		default:
			g.records = g.kind.AppendRecord(g.records, &record)
		}
	}
	return err
}

// fetch gathers a record that lies in a separate block, and frees the block.
func (g *gatherer) fetch(block ga.Span) error {
	b, err := g.c.take(block)
	if err == nil {
		g.records = append(g.records, b...)
	}
	return err
}

// strip removes the gathered elements from the table. A pair of a map whose value another
// rank has replaced meanwhile stays, since the new value has not been gathered.
func (g *gatherer) strip() error {
	var message []byte
	for b := g.records; len(b) > 0; {
		record, rest, ok := g.kind.Record(b)
		if !ok {
			return am.ErrMalformed
		}
		before := len(message)
		message = g.kind.AppendRecord(message, &record)
		if len(message) > am.MaxData && before > 0 {
			if err := g.remove(message[:before]); err != nil {
				return err
			}
			message = append(message[:0], message[before:]...)
		}
		b = rest
	}
	return g.remove(message)
}

func (g *gatherer) remove(records []byte) error {
	if len(records) == 0 {
		return nil
	}
	_, err := g.do(Delete, 0, &am.Call{Data: records})
	return err
}

// deliver inserts the records, which need not be from the same slots.
func (t Tables) deliver(records []byte) error {
	q := imports{t: t}
	for len(records) > 0 {
		record, rest, ok := t.kind.Record(records)
		if !ok {
			return am.ErrMalformed
		}
		records = rest
		var i uint32
		i, record.Slot = SlotOf(record.Key, uint32(t.at.Ranks), uint32(t.at.Slots))
		if err := q.add(i, &record); err != nil {
			return err
		}
	}
	return q.flush()
}

// imports collects records that are inserted into the tables of a structure, so that a
// message carries many.
type imports struct {
	t       Tables
	byTable map[uint32][]byte
}

func (q *imports) add(i uint32, r *Record) error {
	if q.byTable == nil {
		q.byTable = make(map[uint32][]byte)
	}
	b := q.byTable[i]
	before := len(b)
	b = q.t.kind.AppendRecord(b, r)
	if len(b) <= am.MaxData || before == 0 {
		q.byTable[i] = b
		return nil
	}
	q.byTable[i] = append([]byte(nil), b[before:]...)
	return q.send(i, b[:before])
}

func (q *imports) flush() error {
	for i, b := range q.byTable {
		if err := q.send(i, b); err != nil {
			return err
		}
	}
	return nil
}

func (q *imports) send(i uint32, b []byte) error {
	_, err := q.t.doTable(Import, i, 0, &am.Call{Data: b}, nil)
	return err
}

// EachRecord calls f for the record of each element, or of those on this rank, until it
// returns false. Blocks for a round trip for each table and each am.MaxOut bytes.
func (t Tables) EachRecord(local bool, f func(r *Record) (more bool, err error)) error {
	out := make([]byte, am.MaxOut)
	return t.eachTable(local, func(q part) (bool, error) {
		g := gatherer{part: q, out: out}
		for g.more() {
			g.records = g.records[:0]
			if err := g.step(); err != nil {
				return false, err
			}
			for b := g.records; len(b) > 0; {
				r, rest, ok := t.kind.Record(b)
				if !ok {
					return false, am.ErrMalformed
				}
				b = rest
				if more, err := f(&r); !more || err != nil {
					return false, err
				}
			}
		}
		return true, nil
	})
}
