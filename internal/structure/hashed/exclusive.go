package hashed

import (
	"cmp"
	"errors"
	"math"
	"sort"
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
// A mark names its holder. A guest may be lost while the run goes on. Then the first operation that finds its mark releases the table; what
// the guest had begun is done in part. If another holder dies, the run is over.

// Args[3] of Verify is one of these, and above it the number of the holder.
const (
	verifyOnly = iota
	acquire
	release
	verifyModes
)

// holderShift is where the number of the holder begins in Args[3] of Verify. It is a member plus 1; 0 stands for none.
const holderShift = 8

// exclusiveSlot is set in the slot of a call whose caller has acquired the table.
const exclusiveSlot = 1 << 31

// exclusiveOf returns the first word of the mark of a table that has been acquired.
func exclusiveOf(k Kind) uint64 { return markOf(kinds) + uint64(k) }

// verify carries out Verify.
func (t *table) verify(arg uint64) error {
	holder := arg >> holderShift
	switch arg & (1<<holderShift - 1) {
	case verifyOnly:
		return nil
	case acquire:
		if !atomic.CompareAndSwapUint64(&t.mark.kind, markOf(t.kind), exclusiveOf(t.kind)) {
			return cmp.Or(t.check(), am.ErrExclusive)
		}
		storeWord(&t.mark.holder, holder)
		return t.settle()
	case release:
		if !t.release(holder) {
			return cmp.Or(t.check(), am.ErrExclusive)
		}
		return nil
	}
	return am.ErrMalformed
}

// release ends the exclusive use by a holder, and reports whether it had acquired the table.
func (t *table) release(holder uint64) bool {
	// No other process releases the table then: the next holder is stored after the mark has changed.
	return atomic.CompareAndSwapUint64(&t.mark.holder, holder, 0) &&
		atomic.CompareAndSwapUint64(&t.mark.kind, exclusiveOf(t.kind), markOf(t.kind))
}

// abandoned releases the table if its holder is gone, and reports whether it has.
func (t *table) abandoned() bool {
	holder := loadWord(&t.mark.holder)
	return holder != 0 && holder <= math.MaxInt32 && t.view.Gone(int(holder-1)) && t.release(holder)
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
	sort.Slice(tables, func(i, j int) bool { return tables[i].GA < tables[j].GA })
	holder := uint64(t.c.mem.Ranks().Self()+1) << holderShift
	acquired := 0
	for ; acquired < len(tables) && err == nil; acquired++ {
		_, err = t.doAt(&tables[acquired], Verify, 0, &am.Call{Args: [4]uint64{3: acquire | holder}}, nil)
	}
	if err != nil {
		acquired--
	} else {
		err = op()
	}
	for _, table := range tables[:acquired] {
		table.exclusive = true
		_, failed := t.doAt(&table, Verify, 0, &am.Call{Args: [4]uint64{3: release | holder}}, nil)
		err = errors.Join(err, failed)
	}
	return err
}

// asHolder returns the structure for the process that has acquired its tables.
func (t Tables) asHolder() Tables {
	t.exclusive = true
	return t
}
