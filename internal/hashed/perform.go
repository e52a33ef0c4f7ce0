package hashed

import (
	"bytes"

	"github.com/goacp/goacp/internal/site"
)

// Perform carries out an operation on a table.
func Perform(s *site.Site, c *site.Call) (site.Result, error) {
	number := c.Op - site.OpHash
	kind, op := Kind(number>>opBits), Op(number&(1<<opBits-1))
	if kind >= kinds || op >= ops {
		return site.Result{}, site.ErrBadCall
	}
	if op == Create {
		return create(s, kind, c)
	}
	t, n, err := openCall(s, kind, c)
	if err != nil {
		return site.Result{}, err
	}
	switch op {
	case Destroy:
		return site.Result{}, t.destroy()
	case Clear:
		return site.Result{}, t.clear()
	case Count:
		return t.count(c.Args[3])
	case Exchange:
		return site.Result{}, t.exchange(c)
	case First:
		return t.first(n)
	case Next:
		return t.next(n, c.Args[3])
	case Describe:
		return t.describe(n, c.Args[3])
	case Export:
		return t.export(n, c.Args[3], c.Out)
	case Import, Delete:
		return t.eachRecord(op, c.Data)
	case Verify:
		return site.Result{}, nil
	}
	return t.onKey(op, n, c)
}

// onKey carries out an operation on one key.
func (t *table) onKey(op Op, n uint32, c *site.Call) (site.Result, error) {
	if len(c.Data) == 0 {
		return site.Result{}, site.ErrBadCall
	}
	switch op {
	case Find:
		return t.find(n, c.Data, c.Out)
	case Insert:
		return t.insert(n, c.Data, c.More, c.Args[3])
	case Remove:
		return t.remove(n, c.Data, c.Args[3], nil)
	}
	return t.copyValue(n, c.Data, c.Args[3])
}

func (t *table) find(n uint32, key, out []byte) (r site.Result, err error) {
	l, err := t.hold(n)
	if err != nil {
		return r, err
	}
	defer l.release()
	e, err := t.search(l, key)
	if err != nil || e.node == nil {
		return r, err
	}
	r.Val0, r.Val1 = e.ga, t.kind.extra(e.node)
	r.N = copy(out, e.value)
	return r, nil
}

func (t *table) insert(n uint32, key, value []byte, arg uint64) (r site.Result, err error) {
	l, err := t.hold(n)
	if err != nil {
		return r, err
	}
	defer l.release()
	old, err := t.search(l, key)
	if err != nil {
		return r, err
	}
	if old.node != nil {
		return r, t.insertAgain(l, n, old, value, arg)
	}
	e, err := t.newElement(n, key, value, arg)
	if err != nil {
		return r, err
	}
	r.Val0 = 1
	return r, t.enter(l, e)
}

// insertAgain is insert for a key that is there. The caller holds the lock of l, which is
// slot n.
func (t *table) insertAgain(l *slot, n uint32, old element, value []byte, arg uint64) error {
	switch {
	case t.kind == Multiset && arg > ^uint64(0)-old.a:
		return site.ErrFull
	case t.kind == Multiset:
		old.a += arg
	case t.kind == Map && arg != 0 && len(value) == len(old.value):
		copy(old.value, value)
	case t.kind == Map && arg != 0:
		e, err := t.newElement(n, old.key, value, 0)
		if err != nil {
			return err
		}
		return t.replace(l, n, old, e)
	}
	return nil
}

// remove takes times of the multiplicity of key away, or the key. If only is not nil, it
// removes the key only if that is its value.
func (t *table) remove(n uint32, key []byte, times uint64, only []byte) (r site.Result, err error) {
	l, err := t.hold(n)
	if err != nil {
		return r, err
	}
	defer l.release()
	e, err := t.search(l, key)
	if err != nil || e.node == nil || only != nil && !bytes.Equal(e.value, only) {
		return r, err
	}
	r.Val0 = 1
	if t.kind == Multiset && e.a > times {
		e.a -= times
		return r, nil
	}
	return r, t.takeOut(l, n, e)
}

// copyValue copies at most most bytes of the value of key to a block.
func (t *table) copyValue(n uint32, key []byte, most uint64) (r site.Result, err error) {
	l, err := t.hold(n)
	if err != nil {
		return r, err
	}
	defer l.release()
	e, err := t.search(l, key)
	if err != nil || e.node == nil {
		return r, err
	}
	value := e.value[:min(most, uint64(len(e.value)))]
	ga, err := t.newBlock(value)
	r.Val0, r.Val1 = ga, uint64(len(value))
	return r, err
}

// newBlock returns a block with a copy of b, for somebody else to free.
func (t *table) newBlock(b []byte) (uint64, error) {
	ga, err := t.s.Alloc(uint64(len(b)))
	if err != nil {
		return 0, err
	}
	to, err := t.s.Bytes(ga, uint64(len(b)))
	if err != nil {
		return 0, err
	}
	copy(to, b)
	return ga, nil
}
