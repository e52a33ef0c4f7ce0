package hashed

import (
	"bytes"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// names are the names of the operations in messages.
var names = [ops]string{
	Create: "creation", Destroy: "destruction", Clear: "clearing", Count: "count", Find: "search",
	Insert: "insertion", Remove: "removal", First: "beginning", Next: "iteration",
	Describe: "description", Copy: "copying", Export: "export", Import: "import",
	Delete: "deletion", Exchange: "exchange", Verify: "verification",
}

// Operations returns the operations for the table of a process.
func Operations() []am.Operation {
	run := func(view *heapview.View, c am.Call) (am.Result, error) { return Perform(view, &c) }
	var list []am.Operation
	for kind := range kinds {
		for op, name := range names {
			number := opNumber(kind, Op(op))
			list = append(list, am.Operation{Op: number, Name: name + " in a table of a " + kind.String(), Run: run})
		}
		for i, op := range manyOps {
			name := names[op] + " of many keys in a table of a " + kind.String()
			list = append(list, am.Operation{Op: manyNumber(kind, i), Name: name, Run: run})
		}
	}
	return list
}

// opNumber returns the number of op on a structure of a kind.
func opNumber(kind Kind, op Op) am.Op { return am.OpHash + am.Op(kind)<<opBits + am.Op(op) }

// Perform carries out an operation on a table.
func Perform(view *heapview.View, c *am.Call) (am.Result, error) {
	number := c.Op - am.OpHash
	kind, op := Kind(number>>opBits), Op(number&(1<<opBits-1))
	if kind == kinds {
		return performMany(view, uint8(op), c)
	}
	if kind > kinds || op >= ops {
		return am.Result{}, am.ErrMalformed
	}
	if op == Create {
		return create(view, kind, c)
	}
	t, n, err := openCall(view, kind, c)
	if err != nil {
		return am.Result{}, err
	}
	switch op {
	case Destroy:
		return am.Result{}, t.destroy()
	case Clear:
		return am.Result{}, t.clear()
	case Count:
		return t.count(c.Args[3])
	case Exchange:
		return am.Result{}, t.exchange(c)
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
		return am.Result{}, t.verify(c.Args[3])
	}
	return t.onKey(op, n, c)
}

// onKey carries out an operation on one key.
func (t *table) onKey(op Op, n uint32, c *am.Call) (am.Result, error) {
	if len(c.Data) == 0 {
		return am.Result{}, am.ErrMalformed
	}
	l, err := t.hold(n)
	if err != nil {
		return am.Result{}, err
	}
	defer l.release()
	switch op {
	case Find:
		return t.find(l, c.Data, c.Out)
	case Insert:
		return t.insert(l, n, c.Data, c.More, c.Args[3])
	case Remove:
		return t.remove(l, n, c.Data, c.Args[3], nil)
	}
	return t.copyValue(l, c.Data, c.Args[3])
}

// The functions below work on slot n. l is that slot, and the caller holds its lock.

func (t *table) find(l *slot, key, out []byte) (r am.Result, err error) {
	e, err := t.search(l, key)
	if err != nil || e.node == nil {
		return r, err
	}
	r.Val0, r.Val1 = e.ga, t.kind.extra(e.node)
	r.N = copy(out, e.value)
	return r, nil
}

func (t *table) insert(l *slot, n uint32, key, value []byte, arg uint64) (r am.Result, err error) {
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
	if err := t.enter(l, e); err != nil {
		return r, err
	}
	r.Val0 = 1
	return r, nil
}

// insertAgain is insert for a key that is there.
func (t *table) insertAgain(l *slot, n uint32, old element, value []byte, arg uint64) error {
	switch {
	case t.kind == Multiset && arg > ^uint64(0)-old.a:
		return heapview.ErrFull
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

// remove subtracts times from the multiplicity of key, or removes the key. If only is not nil,
// it removes the key only if its value equals only.
func (t *table) remove(l *slot, n uint32, key []byte, times uint64, only []byte) (r am.Result, err error) {
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
func (t *table) copyValue(l *slot, key []byte, most uint64) (r am.Result, err error) {
	e, err := t.search(l, key)
	if err != nil || e.node == nil {
		return r, err
	}
	value := e.value[:min(most, uint64(len(e.value)))]
	ga, err := t.newBlock(value)
	r.Val0, r.Val1 = ga, uint64(len(value))
	return r, err
}

// newBlock returns a block with a copy of b. The caller of the operation frees it.
func (t *table) newBlock(b []byte) (uint64, error) {
	ga, err := t.view.Alloc(uint64(len(b)))
	if err != nil {
		return 0, err
	}
	to, err := t.view.Bytes(ga, uint64(len(b)))
	if err != nil {
		return 0, err
	}
	copy(to, b)
	return ga, nil
}
