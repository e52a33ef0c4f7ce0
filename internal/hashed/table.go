package hashed

import (
	"github.com/goacp/goacp/internal/site"
)

// table is a Table found in memory.
type table struct {
	s     *site.Site
	kind  Kind
	ga    uint64
	slots uint32
	mark  *mark
}

// open finds the table that directory and position tell of at ga. Fails with
// site.ErrGone if it is not there.
func open(s *site.Site, kind Kind, ga, directory, position uint64, slots uint32) (table, error) {
	m, err := site.At[mark](s, ga+uint64(slots)*slotSize)
	if err != nil || ga%8 != 0 || !s.Holds(ga) {
		return table{}, site.ErrGone
	}
	if *m != (mark{markOf(kind), directory, position, uint64(slots)}) {
		return table{}, site.ErrGone
	}
	return table{s, kind, ga, slots, m}, nil
}

// openCall finds the table of a call, and the slot that the call names.
func openCall(s *site.Site, kind Kind, c *site.Call) (table, uint32, error) {
	n := uint32(c.Args[2] >> 32)
	t, err := open(s, kind, c.GA, c.Args[0], c.Args[1], uint32(c.Args[2]))
	return t, n, err
}

// slot returns slot n.
func (t *table) slot(n uint32) (*slot, error) {
	if n >= t.slots {
		return nil, site.ErrBadCall
	}
	return site.At[slot](t.s, t.ga+uint64(n)*slotSize)
}

// create makes the table that c describes.
func create(s *site.Site, kind Kind, c *site.Call) (site.Result, error) {
	slots := c.Args[2] & (1<<32 - 1)
	size := slots*slotSize + markSize
	ga, err := s.Alloc(size)
	if err != nil {
		return site.Result{}, err
	}
	b, err := s.Bytes(ga, size)
	if err != nil {
		return site.Result{}, err
	}
	clear(b)
	m, err := site.At[mark](s, ga+slots*slotSize)
	if err != nil {
		return site.Result{}, err
	}
	*m = mark{markOf(kind), c.Args[0], c.Args[1], slots}
	return site.Result{Vals: [2]uint64{ga}}, nil
}

// destroy frees everything. Nobody finds the table any more before its first element is
// gone.
func (t *table) destroy() error {
	*t.mark = mark{}
	if err := t.clear(); err != nil {
		return err
	}
	return t.s.Free(t.ga)
}

// clear empties one slot after the other.
func (t *table) clear() error {
	for n := range t.slots {
		if err := t.clearSlot(n); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) clearSlot(n uint32) error {
	l, err := t.slot(n)
	if err != nil || loadWord(&l.count) == 0 {
		return err
	}
	if err := l.acquire(t.s); err != nil {
		return err
	}
	defer l.release()
	ga, left := l.first, t.most(l)
	l.first, l.last = 0, 0
	storeWord(&l.count, 0)
	for ; ga != 0 && left > 0; left-- {
		e, err := site.At[node](t.s, ga)
		if err != nil {
			return err
		}
		next := e.next
		if err := t.s.Free(ga); err != nil {
			return err
		}
		ga = next
	}
	return nil
}

// count returns the number of elements, or enough as soon as it has found so many.
func (t *table) count(enough uint64) (site.Result, error) {
	var sum uint64
	for n := range t.slots {
		l, err := t.slot(n)
		if err != nil {
			return site.Result{}, err
		}
		sum += loadWord(&l.count)
		if enough != 0 && sum >= enough {
			break
		}
	}
	return site.Result{Vals: [2]uint64{sum}}, nil
}

// AppendIdentity appends what tells t from other tables.
func (t *Table) AppendIdentity(b []byte) []byte {
	return appendWords(b, t.Directory, t.Position())
}

// exchange exchanges the elements of t and of the table that c tells of.
func (t *table) exchange(c *site.Call) error {
	if len(c.Data) != 16 {
		return site.ErrBadCall
	}
	u, err := open(t.s, t.kind, c.Args[3], word(c.Data, 0), word(c.Data, 1), t.slots)
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
	a, err := t.slot(n)
	if err != nil {
		return err
	}
	b, err := u.slot(n)
	if err != nil {
		return err
	}
	if t.ga > u.ga { // always in the same order
		a, b = b, a
	}
	if err := a.acquire(t.s); err != nil {
		return err
	}
	defer a.release()
	if err := b.acquire(t.s); err != nil {
		return err
	}
	defer b.release()
	a.first, b.first = b.first, a.first
	a.last, b.last = b.last, a.last
	count := a.count
	storeWord(&a.count, b.count)
	storeWord(&b.count, count)
	return nil
}
