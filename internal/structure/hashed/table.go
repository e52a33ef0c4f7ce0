package hashed

import (
	"cmp"
	"errors"
	"sync/atomic"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// table is a Table found in memory.
type table struct {
	view  *heapview.View
	kind  Kind
	ga    uint64
	slots uint32
	mark  *mark

	exclusive bool // the caller of the operation has acquired the table

	// The mark has these as long as the table exists.
	directory, position uint64
}

// open returns the table at ga. exclusive is true if the caller of the operation has acquired it. Fails with
// am.ErrGone if it is not the table with that directory and position, and with am.ErrExclusive if another
// process has acquired it.
func open(view *heapview.View, kind Kind, ga, directory, position uint64, slots uint32, exclusive bool) (table, error) {
	m, err := heapview.At[mark](view, ga+uint64(slots)*slotSize)
	if err != nil || ga%8 != 0 || !view.Holds(ga) {
		return table{}, am.ErrGone
	}
	t := table{view, kind, ga, slots, m, exclusive, directory, position}
	return t, t.check()
}

// openCall finds the table of a call, and the slot that the call names.
func openCall(view *heapview.View, kind Kind, c *am.Call) (table, uint32, error) {
	n := uint32(c.Args[2] >> 32)
	t, err := open(view, kind, c.GA, c.Args[0], c.Args[1], uint32(c.Args[2]), n&exclusiveSlot != 0)
	return t, n &^ exclusiveSlot, err
}

// slot returns slot n.
func (t *table) slot(n uint32) (*slot, error) {
	if n >= t.slots {
		return nil, am.ErrMalformed
	}
	return heapview.At[slot](t.view, t.ga+uint64(n)*slotSize)
}

// create makes the table that c describes.
func create(view *heapview.View, kind Kind, c *am.Call) (am.Result, error) {
	slots := c.Args[2] & (1<<32 - 1)
	if slots == 0 {
		return am.Result{}, am.ErrMalformed
	}
	size := slots*slotSize + markSize
	ga, err := view.Alloc(size)
	if err != nil {
		return am.Result{}, err
	}
	b, err := view.Bytes(ga, size)
	if err != nil {
		return am.Result{}, err
	}
	clear(b)
	m, err := heapview.At[mark](view, ga+slots*slotSize)
	if err != nil {
		return am.Result{}, err
	}
	storeWord(&m.directory, c.Args[0])
	storeWord(&m.position, c.Args[1])
	storeWord(&m.slots, slots)
	storeWord(&m.kind, markOf(kind))
	return am.Result{Val0: ga}, nil
}

// destroy frees the table and its elements. First it erases the mark: no operation finds the table any more.
// Then it takes all locks: operations that had found the table have ended. The locks stay taken, and an
// operation that still waits for one detects that the mark was erased.
func (t *table) destroy() error {
	if !atomic.CompareAndSwapUint64(&t.mark.kind, markOf(t.kind), 0) {
		return cmp.Or(t.check(), am.ErrExclusive)
	}
	var damage error
	for n := range t.slots {
		l, err := t.slot(n)
		if err == nil {
			err = l.seize(t.view)
		}
		if err != nil {
			return err
		}
		damage = errors.Join(damage, t.empty(l, n))
	}
	if left := loadWord(&t.mark.left); left != 0 {
		storeWord(&t.mark.left, 0)
		damage = errors.Join(damage, t.view.Free(left))
	}
	return errors.Join(damage, t.view.Free(t.ga))
}

// clear empties one slot after the other.
func (t *table) clear() error {
	for n := range t.slots {
		if err := t.clearSlot(n); err != nil {
			return err
		}
	}
	return t.check()
}

func (t *table) clearSlot(n uint32) error {
	l, err := t.slot(n)
	if err != nil || loadWord(&l.count) == 0 {
		return err
	}
	if l, err = t.hold(n); err != nil {
		return err
	}
	defer l.release()
	return t.empty(l, n)
}

// empty frees the elements of slot n, whose lock the caller holds.
func (t *table) empty(l *slot, n uint32) error {
	ga, most := l.first, t.most(l)
	l.first, l.last = 0, 0
	storeWord(&l.count, 0)
	t.clearTombstones(n)
	for ; ga != 0 && most > 0; most-- {
		e, err := heapview.At[node](t.view, ga)
		if err != nil {
			return err
		}
		next := e.next
		if err := t.view.Free(ga); err != nil {
			return err
		}
		ga = next
	}
	return nil
}

// count returns the number of elements. If enough is not 0, it stops when it has counted that
// many.
func (t *table) count(enough uint64) (am.Result, error) {
	var sum uint64
	for n := range t.slots {
		l, err := t.slot(n)
		if err != nil {
			return am.Result{}, err
		}
		sum += loadWord(&l.count)
		if enough != 0 && sum >= enough {
			break
		}
	}
	return am.Result{Val0: sum}, t.check()
}

// AppendIdentity appends the words that distinguish t from other tables.
func (t *Table) AppendIdentity(b []byte) []byte {
	return appendWords(b, t.Directory, t.Position())
}

// exchange exchanges the elements of t and of the table that c names.
func (t *table) exchange(c *am.Call) error {
	if len(c.Data) != 16 {
		return am.ErrMalformed
	}
	u, err := open(t.view, t.kind, c.Args[3], word(c.Data, 0), word(c.Data, 1), t.slots, t.exclusive)
	if err != nil || u.ga == t.ga {
		return err
	}
	for n := range t.slots {
		if err := exchangeSlots(t, &u, n); err != nil {
			return err
		}
	}
	return nil
}

func exchangeSlots(t, u *table, n uint32) error {
	if t.ga > u.ga { // the same order in every process
		t, u = u, t
	}
	a, err := t.hold(n)
	if err != nil {
		return err
	}
	defer a.release()
	b, err := u.hold(n)
	if err != nil {
		return err
	}
	defer b.release()
	a.first, b.first = b.first, a.first
	a.last, b.last = b.last, a.last
	count := a.count
	storeWord(&a.count, b.count)
	storeWord(&b.count, count)
	t.clearTombstones(n)
	u.clearTombstones(n)
	return nil
}
