package hashed

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// Many is an operation on N keys, which are numbered from 0.
type Many struct {
	Op  Op     // Find, Insert or Remove
	Arg uint64 // Args[3] of Insert and Remove
	N   int

	// Item returns key i, and the value that Insert stores with it in a map, or an error if there is no key.
	// It may be called several times. Inserting an empty value into a map removes the key.
	Item func(i int) (key, value []byte, err error)

	// Values makes Find return the values of a map. Expect is the size that the caller expects for a value,
	// in bytes.
	Values bool
	Expect int

	// Done gets the outcome for key i. The lock of its slot may be held, so Done must neither use the
	// structure nor wait. It must not keep the value.
	Done func(i int, o Outcome)
}

// Many carries out m, and calls Done once for each key. The outcome for each key is that of the operation on
// this key alone, also if other keys fail. Equal keys are handled in the order of their numbers, and
// different keys in any order. Blocks for one round trip to all owners of keys together, and a few more for
// records and values of more than am.MaxData bytes. Fails if the address is impossible, and when the run is
// over: then Done has not been called for some keys.
func (t Tables) Many(m *Many) error {
	if err := t.check(); err != nil {
		return err
	}
	if m.N > math.MaxInt32 {
		return fmt.Errorf("%w: %d keys", global.ErrBadSize, m.N)
	}
	if t.c.mem.Detaches() {
		return t.detachedMany(m)
	}
	q := manyCall{Tables: t, Many: m, calls: t.c.mem.NewCalls()}
	q.locate()
	for len(q.todo) > 0 {
		if err := q.round(); err != nil {
			return err
		}
		if q.busy {
			if err := q.again.wait(t.c.mem); err != nil {
				return err
			}
		}
	}
	return nil
}

// detachedMany is Many for a caller that may return early.
func (t Tables) detachedMany(m *Many) error {
	type item struct {
		key, value []byte
		err        error
	}
	items, outcomes := make([]item, m.N), make([]Outcome, m.N)
	for i := range items {
		key, value, err := m.Item(i)
		items[i] = item{slices.Clone(key), slices.Clone(value), err}
	}
	private := *m
	private.Item = func(i int) (key, value []byte, err error) { return items[i].key, items[i].value, items[i].err }
	private.Done = func(i int, o Outcome) {
		o.Value = slices.Clone(o.Value)
		outcomes[i] = o
	}
	err := t.detached(func(t Tables) error { return t.Many(&private) })
	if err == nil {
		for i := range outcomes {
			m.Done(i, outcomes[i])
		}
	}
	return err
}

// keys are keys of one table: the slot of each in the upper half, and its number in the lower one.
type keys []uint64

func keyOf(k uint64) (slot uint32, i int) { return uint32(k >> 32), int(uint32(k)) }

// manyCall is a call of Many.
type manyCall struct {
	Tables
	*Many
	calls *global.Calls

	todo    map[uint32]keys // by table
	sent    []tableKeys     // keys in requests to agents
	reread  bool            // the directory has been read again
	attempt int             // how often answers had no room for all keys
	busy    bool            // another process has acquired a table
	again   retry
}

// tableKeys are keys of one table, which lies in the heap of member.
type tableKeys struct {
	keys
	table      Table
	remembered bool // the address of the table may be out of date
	member     int
	view       *heapview.View  // nil: not mapped
	call       *global.Started // the request to the agent
}

// mostSent bounds the messages in flight, and so the memory that they take.
const mostSent = 256

// locate finds the tables and slots of all keys.
func (q *manyCall) locate() {
	q.todo = make(map[uint32]keys)
	for i := range q.N {
		key, _, err := q.Item(i)
		if err == nil && len(key) == 0 {
			err = fmt.Errorf("%w: an empty key", global.ErrBadSize)
		}
		if err != nil {
			q.Done(i, Outcome{Err: err})
			continue
		}
		table, slot := SlotOf(key, uint32(q.at.Ranks), uint32(q.at.Slots))
		q.todo[table] = append(q.todo[table], uint64(slot)<<32|uint64(i))
	}
}

// round handles all keys that are due; keys that have to wait for these stay for the next round. Messages to
// other hosts are in flight while it works on memory of this host.
func (q *manyCall) round() error {
	todo := q.todo
	q.todo, q.busy = make(map[uint32]keys), false
	var near []tableKeys
	for i, keys := range todo {
		slices.Sort(keys) // those of a slot together, in order
		t, err := q.locateKeys(i, keys)
		switch {
		case err != nil:
			q.fail(&t, err)
		case t.view != nil:
			near = append(near, t)
		default:
			if err := q.send(t); err != nil {
				return err
			}
		}
	}
	for _, t := range near {
		if t.keys = q.doNear(&t); len(t.keys) > 0 {
			if err := q.send(t); err != nil {
				return err
			}
		}
	}
	return q.finish()
}

// locateKeys finds table i, to which the keys belong.
func (q *manyCall) locateKeys(i uint32, keys keys) (t tableKeys, err error) {
	t.keys = keys
	if t.table, t.remembered, err = q.hint(i); err != nil {
		return t, err
	}
	t.remembered = t.remembered && !q.reread
	rank := ga.Rank(t.table.GA)
	if rank >= q.c.mem.Ranks().Seats() {
		return t, am.ErrGone
	}
	t.member = q.c.mem.Ranks().Member(rank)
	t.view = q.c.mem.HeapView(t.member)
	return t, nil
}

// fail reports an error for each of some keys. If the error may come from an outdated address, or if another
// process has acquired the table, it keeps the keys for the next round.
func (q *manyCall) fail(t *tableKeys, err error) {
	if errors.Is(err, am.ErrExclusive) {
		q.busy = true
		q.later(t)
		return
	}
	if t.remembered && errors.Is(err, am.ErrGone) {
		q.c.dirs.forget(q.at.GA)
		q.reread = true
		q.later(t)
		return
	}
	for _, k := range t.keys {
		q.done(t, k, Outcome{Err: err})
	}
}

// later keeps keys for the next round.
func (q *manyCall) later(t *tableKeys) {
	if len(t.keys) > 0 {
		q.todo[t.table.Index] = append(q.todo[t.table.Index], t.keys...)
	}
}

// done reports the outcome for one key.
func (q *manyCall) done(t *tableKeys, k uint64, o Outcome) {
	slot, i := keyOf(k)
	o.Err, o.Table, o.Slot = global.Cause(o.Err), int(t.table.Index), int(slot)
	q.Done(i, o)
}

// doNear carries out the operation on mapped memory. It returns the keys from the first one on that need
// the agent of the owner, since this process has no address space for them.
func (q *manyCall) doNear(t *tableKeys) (rest keys) {
	at, err := open(t.view, q.kind, t.table.GA, t.table.Directory, t.table.Position(), t.table.Slots, false)
	if err != nil {
		q.fail(t, err)
		return nil
	}
	h := holder{table: &at}
	defer h.release()
	moved := uint64(0)
	for n, k := range t.keys {
		slot, i := keyOf(k)
		key, value, _ := q.Item(i)
		o := h.do(q.Op, slot, key, value, q.Arg)
		if errors.Is(o.Err, am.ErrExclusive) {
			// Operations on equal keys stay in order, so the keys behind this one stay for the next round,
			// too.
			q.fail(&tableKeys{keys: t.keys[n:], table: t.table}, o.Err)
			break
		}
		if !q.c.mem.Final(t.member, o.Err) {
			rest = t.keys[n:]
			break
		}
		moved += uint64(len(key) + len(value))
		q.done(t, k, o)
	}
	q.c.mem.CountMany(t.member, traffic.SHM, moved)
	return rest
}

// send sends keys to the agent of the owner. A record that fits into no message is sent alone after the keys
// before it are done.
func (q *manyCall) send(t tableKeys) error {
	for under := false; len(t.keys) > 0; {
		n, c := q.message(&t)
		switch {
		case n > 0:
			if len(q.sent) == mostSent {
				if err := q.finish(); err != nil {
					return err
				}
			}
			part := t
			part.keys, part.call = t.keys[:n], q.calls.Start(t.member, c)
			q.sent = append(q.sent, part)
			under = true
		case under:
			q.later(&t)
			return nil
		default:
			q.alone(&t, t.keys[0])
			n = 1
		}
		t.keys = t.keys[n:]
	}
	return nil
}

// message returns the call for as many keys as one message has room for, and their number.
func (q *manyCall) message(t *tableKeys) (n int, c am.Call) {
	var data []byte
	one, size := q.answerSize(), 0
	for n < len(t.keys) {
		slot, i := keyOf(t.keys[n])
		key, value, _ := q.Item(i)
		if recordHead+len(key)+len(value) > am.MaxData-len(data) || size+one > am.MaxOut {
			break
		}
		data = q.kind.AppendRecord(data, &Record{Slot: slot, Key: key, Value: value, Times: 1})
		size += one
		n++
	}
	t.table.Address(&c, q.kind, q.Op, 0)
	c.Op = manyNumber(q.kind, slices.Index(manyOps[:], q.Op))
	c.Args[3] = q.Arg
	if q.Op == Find {
		c.Args[3] = 0
		if q.Values {
			c.Args[3] = 1
		}
	}
	c.Data, c.Out = data, make([]byte, size)
	return n, c
}

// answerSize returns how many bytes the outcome for a key is expected to have. The number grows with each
// answer that has no room for all keys.
func (q *manyCall) answerSize() int {
	switch {
	case q.Op != Find:
		return 1
	case !q.Values:
		return foundHead
	}
	return min(foundHead+max(q.Expect, 1)<<min(q.attempt, 16), am.MaxOut)
}

// alone carries out the operation on a single key.
func (q *manyCall) alone(t *tableKeys, k uint64) {
	slot, i := keyOf(k)
	key, value, _ := q.Item(i)
	c := am.Call{Data: key, More: value, Args: [4]uint64{3: q.Arg}}
	op := q.kind.onValue(q.Op, value)
	r, err := q.doTable(op, t.table.Index, slot, &c, nil)
	o := Outcome{Done: r.Val0 != 0 && err == nil && op == q.Op, Err: err}
	if q.Op == Find && o.Done {
		o.Elem, o.Extra = r.Val0, r.Val1
		q.complete(key, &o)
	}
	q.done(t, k, o)
}

// complete gets the value of an outcome if no message had room for it.
func (q *manyCall) complete(key []byte, o *Outcome) {
	if !q.Values || !o.Done || uint64(len(o.Value)) == o.Extra {
		return
	}
	value, err := q.WholeValue(key)
	*o = Outcome{Done: len(value) > 0, Elem: o.Elem, Extra: uint64(len(value)), Value: value, Err: err}
}

// finish waits for the messages under way, and takes their answers.
func (q *manyCall) finish() error {
	if len(q.sent) == 0 {
		return nil
	}
	if err := q.calls.Wait(); err != nil {
		return err
	}
	sent, again := q.sent, false
	q.sent = nil
	for i := range sent {
		again = q.take(&sent[i]) || again
	}
	if again {
		q.attempt++
	}
	return nil
}

// take takes one answer, and reports whether it had no room for all keys.
func (q *manyCall) take(t *tableKeys) (again bool) {
	r, err := t.call.Result()
	q.c.mem.Count(t.member, traffic.TCP, &t.call.Call, r, err)
	if err != nil {
		q.fail(t, err)
		return false
	}
	asked := len(t.keys)
	b := t.call.Call.Out[:r.N]
	for len(b) > 0 && len(t.keys) > 0 {
		o, rest, ok := outcome(q.Op, b)
		if !ok {
			break
		}
		_, i := keyOf(t.keys[0])
		key, _, _ := q.Item(i)
		q.complete(key, &o)
		q.done(t, t.keys[0], o)
		b, t.keys = rest, t.keys[1:]
	}
	if len(b) > 0 || len(t.keys) == asked {
		q.fail(t, fmt.Errorf("%w: an answer of %d bytes about %d keys", am.ErrMalformed, r.N, asked))
		return false
	}
	q.later(t)
	return len(t.keys) > 0 && q.Op == Find
}
