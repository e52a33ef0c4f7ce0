package acp

import (
	"errors"
	"slices"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/hashed"
)

// Address returns what other ranks need to know to use the structure. Local. Does not
// block.
func (t tables) Address() TableAddress { return t.at }

// part is one table of a structure, for operations on many of them.
type part struct {
	tables
	index uint32
	found *hashed.Table // where it lies, if it must be there and nowhere else
}

// do carries out op on a slot; c has what else it needs.
func (q *part) do(op hashed.Op, slot uint32, c *am.Call) (am.Result, error) {
	if q.found != nil {
		return q.execAt(q.found, op, slot, c, nil)
	}
	return q.onTable(op, q.index, slot, c, nil)
}

// eachTable calls f for each table, or for those on the calling rank, until it returns
// false.
func (t tables) eachTable(local bool, f func(q part) (bool, error)) error {
	if local {
		return t.eachLocal(f)
	}
	if err := t.check(); err != nil {
		return err
	}
	for i := range uint32(t.at.Ranks) {
		if more, err := f(part{t, i, nil}); err != nil || !more {
			return err
		}
	}
	return nil
}

// eachLocal is eachTable for the tables on the calling rank. None of them is looked for on
// another rank, if it should go.
func (t tables) eachLocal(f func(q part) (bool, error)) error {
	here, err := t.local()
	if err != nil {
		return err
	}
	for i := range here {
		if more, err := f(part{t, here[i].Index, &here[i]}); err != nil || !more {
			return err
		}
	}
	return nil
}

// size counts elements, of all tables or of those on the calling rank, until there are
// enough, if that is not 0.
func (t tables) size(local bool, enough uint64) (sum uint64, err error) {
	err = t.eachTable(local, func(q part) (bool, error) {
		r, err := q.do(hashed.Count, 0, &am.Call{Args: [4]uint64{3: enough}})
		sum += r.Val0
		return enough == 0 || sum < enough, err
	})
	return sum, t.failed("size", err)
}

// Size returns the number of elements; in a multiset that of different keys. Elements
// that come and go meanwhile may count or not. Any rank. Blocks for a round trip for each
// table. Spec 4.6.22, 4.7.23.
func (t tables) Size() (uint64, error) { return t.size(false, 0) }

// SizeLocal is Size for the elements on the calling rank. Any rank. Blocks for a round
// trip at most. Spec 4.6.21, 4.7.22.
func (t tables) SizeLocal() (uint64, error) { return t.size(true, 0) }

// Empty reports whether there are no elements. Any rank. Blocks as Size does, until it
// has found one. Spec 4.6.11, 4.7.11.
func (t tables) Empty() (bool, error) {
	n, err := t.size(false, 1)
	return n == 0, err
}

// EmptyLocal is Empty for the elements on the calling rank. Any rank. Blocks for a round
// trip at most. Spec 4.6.10, 4.7.10.
func (t tables) EmptyLocal() (bool, error) {
	n, err := t.size(true, 1)
	return n == 0, err
}

func (t tables) clear(local bool) error {
	err := t.eachTable(local, func(q part) (bool, error) {
		_, err := q.do(hashed.Clear, 0, &am.Call{})
		return true, err
	})
	return t.failed("clearing", err)
}

// Clear removes all elements. Any rank. Blocks for a round trip for each table. Spec
// 4.6.7, 4.7.7.
func (t tables) Clear() error { return t.clear(false) }

// ClearLocal removes the elements on the calling rank. Any rank. Blocks for a round trip
// at most. Spec 4.6.6, 4.7.6.
func (t tables) ClearLocal() error { return t.clear(true) }

// Destroy frees the elements, the tables and the directory. No rank may use the structure
// any more. Fails with ErrDestroyed if that has been done already. Any rank. Blocks for a
// round trip for each table. Spec 4.6.9, 4.7.9.
func (t tables) Destroy() error {
	err := t.eachTable(false, func(q part) (bool, error) {
		_, err := q.do(hashed.Destroy, 0, &am.Call{})
		return true, err
	})
	t.p.directories.forget(t.at.GA)
	if err == nil {
		err = t.p.release(t.at.GA)
	}
	return t.failed("destruction", err)
}

// isSame reports whether two handles name the same structure. Fails unless both name one
// of the kind of t: the first table of each is asked.
func (t tables) isSame(as tables) (bool, error) {
	for _, each := range []tables{t, as} {
		if err := each.check(); err != nil {
			return false, err
		}
		enough := am.Call{Args: [4]uint64{3: 1}}
		if _, err := each.onTable(hashed.Count, 0, 0, &enough, nil); err != nil {
			return false, err
		}
	}
	return t.at.GA == as.at.GA, nil
}

// merge inserts the elements of from, or those of them on the calling rank, and if take
// is true removes them from there.
func (t tables) merge(from tables, local, take bool) error {
	if same, err := t.isSame(from); same || err != nil {
		return err
	}
	out := make([]byte, am.MaxOut)
	return from.eachTable(local, func(q part) (bool, error) {
		g := gatherer{part: q, out: out}
		for g.more() {
			if err := g.gather(); err != nil {
				return false, err
			}
			if err := t.deliver(g.records); err != nil {
				return false, err
			}
			if take {
				if err := g.strip(); err != nil {
					return false, err
				}
			}
		}
		return true, nil
	})
}

// exchange exchanges the elements of two structures whose tables lie in the same way, in a
// round trip for each table. It needs no memory.
func (t tables) exchange(mine, theirs []hashed.Table) error {
	for i := range mine {
		c := am.Call{
			Args: [4]uint64{3: theirs[i].GA}, Data: theirs[i].AppendIdentity(make([]byte, 0, 16)),
		}
		if _, err := t.execAt(&mine[i], hashed.Exchange, 0, &c, nil); err != nil {
			return err
		}
	}
	return nil
}

// assign replaces the elements by copies of those of from, or of those of them on the
// calling rank. The old ones go when all copies are there.
func (t tables) assign(from tables, local bool) error {
	if same, err := t.isSame(from); same || err != nil {
		return t.failed("assignment", err)
	}
	mine, err := t.locate()
	if err != nil {
		return t.failed("assignment", err)
	}
	copies, theirs, err := t.copyOf(from, mine, local)
	if err != nil {
		return t.failed("assignment", err)
	}
	err = t.exchange(mine, theirs)
	return t.failed("assignment", errors.Join(err, copies.Destroy()))
}

// copyOf makes a structure whose tables lie as mine do, with copies of the elements of
// from, and returns where they are.
func (t tables) copyOf(from tables, mine []hashed.Table, local bool) (tables, []hashed.Table, error) {
	ranks := make([]Rank, len(mine))
	for i := range mine {
		ranks[i] = GA(mine[i].GA).rank()
	}
	copies, err := t.p.newTables(t.kind, ranks, int(t.at.Slots), t.at.GA.rank())
	if err != nil {
		return tables{}, nil, err
	}
	err = copies.merge(from, local, false)
	var theirs []hashed.Table
	if err == nil {
		theirs, err = copies.locate()
	}
	if err != nil {
		return tables{}, nil, errors.Join(err, copies.Destroy())
	}
	return copies, theirs, nil
}

// swap exchanges the elements of two structures, each of which keeps its tables.
func (t tables) swap(with tables) error {
	if same, err := t.isSame(with); same || err != nil {
		return t.failed("swap", err)
	}
	mine, err := t.locate()
	if err != nil {
		return t.failed("swap", err)
	}
	theirs, err := with.locate()
	switch {
	case err != nil:
	case t.at.Slots == with.at.Slots && sameRanks(mine, theirs):
		err = t.exchange(mine, theirs)
	default:
		err = t.swapCopies(with, mine, theirs)
	}
	return t.failed("swap", err)
}

// sameRanks reports whether the tables of two structures lie on the same ranks.
func sameRanks(a, b []hashed.Table) bool {
	return slices.EqualFunc(a, b, func(x, y hashed.Table) bool { return GA(x.GA).rank() == GA(y.GA).rank() })
}

// swapCopies is swap where elements have to move to other tables. When all copies are
// there, nothing can fail any more.
func (t tables) swapCopies(with tables, mine, theirs []hashed.Table) error {
	forMe, new1, err := t.copyOf(with, mine, false)
	if err != nil {
		return err
	}
	forThem, new2, err := with.copyOf(t, theirs, false)
	if err != nil {
		return errors.Join(err, forMe.Destroy())
	}
	return errors.Join(t.exchange(mine, new1), with.exchange(theirs, new2), forMe.Destroy(), forThem.Destroy())
}
