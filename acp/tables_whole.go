package acp

import (
	"errors"

	"github.com/goacp/goacp/internal/hashed"
	"github.com/goacp/goacp/internal/site"
)

// Address returns what other ranks need to know to use the structure. Local. Does not
// block.
func (t tables) Address() TableAddress { return t.at }

// eachTable calls f for each table, or for those on the calling rank, until it returns
// false.
func (t tables) eachTable(local bool, f func(i uint32) (bool, error)) error {
	if err := t.check(); err != nil {
		return err
	}
	for i := range uint32(t.at.Ranks) {
		if local {
			if here, err := t.isLocal(i); err != nil {
				return err
			} else if !here {
				continue
			}
		}
		if more, err := f(i); err != nil || !more {
			return err
		}
	}
	return nil
}

// size counts elements, of all tables or of those on the calling rank, until there are
// enough, if that is not 0.
func (t tables) size(local bool, enough uint64) (sum uint64, err error) {
	err = t.eachTable(local, func(i uint32) (bool, error) {
		r, err := t.onTable(hashed.Count, i, 0, &site.Call{Args: [4]uint64{3: enough}}, nil)
		sum += r.Vals[0]
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
	err := t.eachTable(local, func(i uint32) (bool, error) {
		_, err := t.onTable(hashed.Clear, i, 0, &site.Call{}, nil)
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

// Destroy frees the elements, the tables and the directory. Nobody may use the structure
// any more. Fails with ErrDestroyed if somebody has destroyed it already. Any rank.
// Blocks for a round trip for each table. Spec 4.6.9, 4.7.9.
func (t tables) Destroy() error {
	err := t.eachTable(false, func(i uint32) (bool, error) {
		_, err := t.onTable(hashed.Destroy, i, 0, &site.Call{}, nil)
		return true, err
	})
	t.p.directories.forget(t.at.GA)
	if err == nil {
		err = t.p.release(t.at.GA)
	}
	return t.failed("destruction", err)
}

// merge inserts the elements of from, or those of them on the calling rank, and if take
// is true removes them from there.
func (t tables) merge(from tables, local, take bool) error {
	if t.at.GA == from.at.GA {
		return nil
	}
	if err := t.check(); err != nil {
		return err
	}
	out := make([]byte, site.MaxOut)
	return from.eachTable(local, func(i uint32) (bool, error) {
		g := gatherer{t: from, table: i, out: out}
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

// like makes an empty structure whose tables lie as those of t do.
func (t tables) like() (tables, error) {
	var ranks []Rank
	err := t.eachTable(false, func(i uint32) (bool, error) {
		table, _, err := t.table(i)
		ranks = append(ranks, GA(table.GA).rank())
		return true, err
	})
	if err != nil {
		return tables{}, err
	}
	return t.p.newTables(t.kind, ranks, int(t.at.Slots), t.at.GA.rank())
}

// isLike reports whether the tables of two structures lie in the same way.
func (t tables) isLike(other tables) (bool, error) {
	if t.at.Ranks != other.at.Ranks || t.at.Slots != other.at.Slots {
		return false, nil
	}
	same := true
	err := t.eachTable(false, func(i uint32) (bool, error) {
		mine, _, err := t.table(i)
		if err != nil {
			return false, err
		}
		theirs, _, err := other.table(i)
		same = GA(mine.GA).rank() == GA(theirs.GA).rank()
		return same, err
	})
	return same, err
}

// exchange exchanges the elements of two structures that lie in the same way, in a round
// trip for each table. It needs no memory.
func (t tables) exchange(with tables) error {
	return t.eachTable(false, func(i uint32) (bool, error) {
		other, _, err := with.table(i)
		if err != nil {
			return false, err
		}
		identity := other.AppendIdentity(make([]byte, 0, 16))
		_, err = t.onTable(hashed.Exchange, i, 0, &site.Call{Args: [4]uint64{3: other.GA}, Data: identity}, nil)
		return true, err
	})
}

// assign replaces the elements by copies of those of from, or of those of them on the
// calling rank. The old ones go when all copies are there.
func (t tables) assign(from tables, local bool) error {
	if t.at.GA == from.at.GA {
		return nil
	}
	copies, err := t.copyOf(from, local)
	if err != nil {
		return t.failed("assignment", err)
	}
	err = t.exchange(copies)
	return t.failed("assignment", errors.Join(err, copies.Destroy()))
}

// copyOf makes a structure whose tables lie as those of t do, with copies of the elements
// of from.
func (t tables) copyOf(from tables, local bool) (tables, error) {
	copies, err := t.like()
	if err != nil {
		return tables{}, err
	}
	if err := copies.merge(from, local, false); err != nil {
		return tables{}, errors.Join(err, copies.Destroy())
	}
	return copies, nil
}

// swap exchanges the elements of two structures, each of which keeps its tables.
func (t tables) swap(with tables) error {
	if t.at.GA == with.at.GA {
		return nil
	}
	// Not from memory: exchange would damage nothing, but fail.
	t.p.directories.forget(with.at.GA)
	alike, err := t.isLike(with)
	switch {
	case err != nil:
	case alike:
		err = t.exchange(with)
	default:
		err = t.swapCopies(with)
	}
	return t.failed("swap", err)
}

// swapCopies is swap where elements have to move to other tables. When all copies are
// there, nothing can fail any more.
func (t tables) swapCopies(with tables) error {
	mine, err := t.copyOf(with, false)
	if err != nil {
		return err
	}
	theirs, err := with.copyOf(t, false)
	if err != nil {
		return errors.Join(err, mine.Destroy())
	}
	return errors.Join(t.exchange(mine), with.exchange(theirs), mine.Destroy(), theirs.Destroy())
}
