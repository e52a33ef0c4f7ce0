package hashed

import (
	"errors"
	"slices"

	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// part is one table of a structure, for operations on many of them.
type part struct {
	Tables
	index uint32
	found *Table // its address, if no other address may be used
}

// do carries out op on a slot; c has the other arguments.
func (q *part) do(op Op, slot uint32, c *am.Call) (am.Result, error) {
	if q.found != nil {
		return q.doAt(q.found, op, slot, c, nil)
	}
	return q.doTable(op, q.index, slot, c, nil)
}

// eachTable calls f for each table, or for those on the calling rank, until it returns
// false.
func (t Tables) eachTable(local bool, f func(q part) (bool, error)) error {
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

// eachLocal is eachTable for the tables on the calling rank. If one of them is destroyed meanwhile, it is not
// looked for on another rank.
func (t Tables) eachLocal(f func(q part) (bool, error)) error {
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

// Size returns how many elements there are, in all tables or in those on this rank; in a multiset how many
// different keys. If enough is not 0, it stops when it has counted that many. Blocks for a round trip for
// each table.
func (t Tables) Size(local bool, enough uint64) (sum uint64, err error) {
	err = t.eachTable(local, func(q part) (bool, error) {
		r, err := q.do(Count, 0, &am.Call{Args: [4]uint64{3: enough}})
		sum += r.Val0
		return enough == 0 || sum < enough, err
	})
	return sum, err
}

// Clear removes all elements, or those on this rank. Blocks for some round trips for each table.
func (t Tables) Clear(local bool) error {
	if t.c.mem.Detaches() {
		return t.detached(func(t Tables) error { return t.Clear(local) })
	}
	mine, err := t.tables(local)
	if err != nil {
		return err
	}
	return t.exclusively(mine, func() error {
		return t.asHolder().eachTable(local, func(q part) (bool, error) {
			_, err := q.do(Clear, 0, &am.Call{})
			return true, err
		})
	})
}

// Destroy frees the elements, the tables and the directory. The memory of a table on a rank that has left or is lost is gone already. If
// there is no other table, Destroy fails, as it cannot verify the structure. Blocks for a round trip for each
// table.
func (t Tables) Destroy() error {
	if t.c.mem.Detaches() {
		return t.detached(Tables.Destroy)
	}
	list, err := t.checkedDirectory()
	if err != nil {
		return err
	}
	defer t.c.dirs.forget(t.at.GA)
	destroyed := false
	for i, at := range list {
		q := part{t, uint32(i), nil}
		switch _, failed := q.do(Destroy, 0, &am.Call{}); {
		case failed == nil:
			destroyed = true
		case t.c.mem.Gone(ga.Rank(at)):
			err = failed
		default:
			return failed
		}
	}
	if !destroyed {
		return err
	}
	return t.c.mem.Free(t.at.GA)
}

// isSame reports whether two handles name the same structure. Fails unless both name a structure of the kind
// of t: it verifies the first table of each.
func (t Tables) isSame(as Tables) (bool, error) {
	for _, each := range []Tables{t, as} {
		if err := each.check(); err != nil {
			return false, err
		}
		enough := am.Call{Args: [4]uint64{3: 1}}
		if _, err := each.doTable(Count, 0, 0, &enough, nil); err != nil {
			return false, err
		}
	}
	return t.at.GA == as.at.GA, nil
}

// Merge inserts the elements of from, or those of them on this rank, and if take is true
// removes them from there. Blocks for round trips for each table and each batchBytes. Fails
// with global.ErrFull when it may have inserted some.
func (t Tables) Merge(from Tables, local, take bool) error {
	return t.withOther(from, local, func(t, from Tables, _, _ []Table) error { return t.merge(from, local, take) })
}

// withOther acquires the tables of t and the tables of other, or only those of other on this rank if local is
// true. Then it calls op with both structures and their tables. It does nothing if both handles name the same
// structure.
func (t Tables) withOther(other Tables, local bool, op func(t, other Tables, mine, theirs []Table) error) error {
	if t.c.mem.Detaches() {
		return t.detached(func(t Tables) error { return t.withOther(other, local, op) }, other)
	}
	other = other.In(t.c)
	if same, err := t.isSame(other); same || err != nil {
		return err
	}
	mine, err := t.locate()
	if err != nil {
		return err
	}
	theirs, err := other.tables(local)
	if err != nil {
		return err
	}
	return t.exclusively(slices.Concat(mine, theirs), func() error {
		return op(t.asHolder(), other.asHolder(), mine, theirs)
	})
}

// tables returns all tables, or those on the calling rank. It has verified each of them.
func (t Tables) tables(local bool) ([]Table, error) {
	if local {
		return t.local()
	}
	return t.locate()
}

// merge is Merge for the process that has acquired the tables.
func (t Tables) merge(from Tables, local, take bool) error {
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
func (t Tables) exchange(mine, theirs []Table) error {
	for i := range mine {
		c := am.Call{
			Args: [4]uint64{3: theirs[i].GA}, Data: theirs[i].AppendIdentity(make([]byte, 0, 16)),
		}
		table := mine[i]
		table.exclusive = t.exclusive
		if _, err := t.doAt(&table, Exchange, 0, &c, nil); err != nil {
			return err
		}
	}
	return nil
}

// Assign replaces the elements by copies of those of from, or of those of them on this rank. It frees the old
// elements after it has made all copies. Blocks as Merge does. Fails with global.ErrFull.
func (t Tables) Assign(from Tables, local bool) error {
	return t.withOther(from, local, func(t, from Tables, mine, _ []Table) error {
		copies, elements, err := t.copyOf(from, mine, local)
		if err != nil {
			return err
		}
		err = t.exchange(mine, elements)
		return errors.Join(err, copies.Destroy())
	})
}

// copyOf makes a structure whose tables lie on the same ranks as mine, with copies of the elements of from,
// and returns its tables.
func (t Tables) copyOf(from Tables, mine []Table, local bool) (Tables, []Table, error) {
	ranks := make([]int, len(mine))
	for i := range mine {
		ranks[i] = ga.Rank(mine[i].GA)
	}
	copies, err := t.c.Make(t.kind, ranks, int(t.at.Slots), ga.Rank(t.at.GA))
	if err != nil {
		return Tables{}, nil, err
	}
	err = copies.merge(from, local, false)
	var theirs []Table
	if err == nil {
		theirs, err = copies.locate()
	}
	if err != nil {
		return Tables{}, nil, errors.Join(err, copies.Destroy())
	}
	return copies, theirs, nil
}

// Swap exchanges the elements of two structures, each of which keeps its tables. Blocks as
// Merge does. Fails with global.ErrFull, and then both are as before.
func (t Tables) Swap(with Tables) error {
	return t.withOther(with, false, func(t, with Tables, mine, theirs []Table) error {
		if t.at.Slots == with.at.Slots && sameRanks(mine, theirs) {
			return t.exchange(mine, theirs)
		}
		return t.swapCopies(with, mine, theirs)
	})
}

// sameRanks reports whether the tables of two structures lie on the same ranks.
func sameRanks(a, b []Table) bool {
	return slices.EqualFunc(a, b, func(x, y Table) bool { return ga.Rank(x.GA) == ga.Rank(y.GA) })
}

// swapCopies is swap where elements have to move to other tables. After all copies have been made, no step
// can fail any more.
func (t Tables) swapCopies(with Tables, mine, theirs []Table) error {
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
