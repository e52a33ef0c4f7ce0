package hashed

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/network/am"
)

// Operations that change whole structures take slot after slot, and several round trips. To exclude other
// operations meanwhile, the caller first acquires the tables, in the order of their addresses. An acquired
// table has another mark. Other operations compare the mark in any case. They fail with am.ErrExclusive, and
// their callers try again. So they take no longer while no table is acquired.
//
// An operation on a key may have found the table before it was acquired. Such an operation holds the lock of
// a slot, since it checks the mark again after it has taken the lock. So acquire waits until each lock has
// been free once.
//
// If the holder dies, the run is over.

// Values of Args[3] of Verify.
const (
	verifyOnly = iota
	acquire
	release
	verifyModes
)

// exclusiveSlot is set in the slot of a call whose caller has acquired the table.
const exclusiveSlot = 1 << 31

// exclusiveOf returns the first word of the mark of a table that has been acquired.
func exclusiveOf(k Kind) uint64 { return markOf(kinds) + uint64(k) }

// verify carries out Verify.
func (t *table) verify(mode uint64) error {
	from, to := markOf(t.kind), exclusiveOf(t.kind)
	switch mode {
	case verifyOnly:
		return nil
	case acquire:
	case release:
		from, to = to, from
	default:
		return am.ErrMalformed
	}
	if !atomic.CompareAndSwapUint64(&t.mark.kind, from, to) {
		return cmp.Or(t.check(), am.ErrExclusive)
	}
	if mode == acquire {
		return t.settle()
	}
	return nil
}

// settle waits for the end of operations that had found the table before it was acquired. Fails when the run
// is over.
func (t *table) settle() error {
	for n := range t.slots {
		l, err := t.slot(n)
		if err != nil {
			return err
		}
		for nap := shortestNap; loadWord(&l.lock) != 0; nap = min(2*nap, longestNap) {
			if err := t.view.Over(); err != nil {
				return err
			}
			time.Sleep(nap)
		}
	}
	t.exclusive = true
	return t.check() // unless the table has been destroyed meanwhile
}

// The first pauses before an acquired table is tried again are short.
const (
	shortestRetry = 20 * time.Microsecond
	longestRetry  = 2 * time.Millisecond
)

// retry waits before an operation on a table that was acquired is tried again.
type retry struct{ pause time.Duration }

// wait waits. Fails when the run is over.
func (r *retry) wait(m *global.Memory) error {
	r.pause = min(max(2*r.pause, shortestRetry), longestRetry)
	time.Sleep(r.pause)
	return m.Alive()
}

// exclusively acquires tables, carries out op and releases the tables. Waits for operations that have
// acquired some of them before.
func (t Tables) exclusively(tables []Table, op func() error) (err error) {
	slices.SortFunc(tables, func(a, b Table) int { return cmp.Compare(a.GA, b.GA) })
	acquired := 0
	for ; acquired < len(tables) && err == nil; acquired++ {
		_, err = t.doAt(&tables[acquired], Verify, 0, &am.Call{Args: [4]uint64{3: acquire}}, nil)
	}
	if err != nil {
		acquired--
	} else {
		err = op()
	}
	for _, table := range tables[:acquired] {
		table.exclusive = true
		_, failed := t.doAt(&table, Verify, 0, &am.Call{Args: [4]uint64{3: release}}, nil)
		err = errors.Join(err, failed)
	}
	return err
}

// asHolder returns the structure for the process that has acquired its tables.
func (t Tables) asHolder() Tables {
	t.exclusive = true
	return t
}
