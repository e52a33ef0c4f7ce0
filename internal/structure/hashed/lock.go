package hashed

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

const (
	lockSpins  = 64 // checks before a thread yields its processor
	lockYields = 32 // yields before a thread sleeps

	// The first sleep is short, since the holder is probably running. Later ones are longer, since the holder
	// may be dead.
	shortestNap = 20 * time.Microsecond
	longestNap  = time.Millisecond
)

// hold returns a slot with its lock held, for the caller to release. Fails with
// am.ErrGone if the table has been destroyed meanwhile, with am.ErrExclusive if another process has acquired it,
// and when the run is over.
//
// It compares the mark again when it holds the lock: the rank that destroys the table erases
// the mark before it takes the locks. So while an operation holds a lock of a table with a
// mark, the table is not freed.
func (t *table) hold(n uint32) (*slot, error) {
	l, err := t.slot(n)
	if err != nil {
		return nil, err
	}
	if !l.try() {
		if err := l.wait(t); err != nil {
			return nil, err
		}
	}
	if err := t.check(); err != nil {
		l.retreat()
		return nil, err
	}
	return l, nil
}

// holder holds the lock of one slot at a time, for an operation on many keys. While the keys are in the
// same slot, it keeps the lock, up to longestHold keys.
type holder struct {
	*table
	l    *slot // nil: none is held
	n    uint32
	left int
}

// longestHold bounds the keys for which a lock is held: other ranks wait for it.
const longestHold = 64

// hold returns slot n with its lock held, and releases the lock that was held before. Errors are as of
// table.hold.
func (h *holder) hold(n uint32) (*slot, error) {
	if h.l != nil && h.n == n && h.left > 0 {
		h.left--
		return h.l, nil
	}
	h.release()
	l, err := h.table.hold(n)
	if err == nil {
		h.l, h.n, h.left = l, n, longestHold-1
	}
	return l, err
}

// release releases the lock if one is held.
func (h *holder) release() {
	if h.l != nil {
		h.l.release()
		h.l = nil
	}
}

// check returns nil if the table of the operation still exists and the operation may use it. Otherwise it
// fails as open does. Then values that were read without the lock are invalid.
func (t *table) check() error {
	kind := loadWord(&t.mark.kind)
	switch {
	case !t.mark.matches(t.directory, t.position, t.slots):
		return am.ErrGone
	case kind == markOf(t.kind), t.exclusive && kind == exclusiveOf(t.kind):
		return nil
	case kind == exclusiveOf(t.kind) && t.abandoned():
		return t.check()
	case kind == exclusiveOf(t.kind):
		return am.ErrExclusive
	}
	return am.ErrGone
}

// wait waits for the lock of a slot and takes it. It fails if the table has been destroyed, since its locks
// then stay taken, if the table has been acquired, and when the run is over.
func (l *slot) wait(t *table) error {
	for range lockYields {
		for range lockSpins {
			if l.try() {
				return nil
			}
		}
		if err := t.check(); err != nil {
			return err
		}
		runtime.Gosched()
	}
	for nap := shortestNap; !l.try(); nap = min(2*nap, longestNap) {
		if err := t.check(); err != nil {
			return err
		}
		if err := t.view.Over(); err != nil {
			return err
		}
		time.Sleep(nap)
	}
	return nil
}

// seize takes the lock of a slot of a table whose mark was erased. It fails when the run is over.
func (l *slot) seize(view *heapview.View) error {
	for nap := shortestNap; !l.try(); nap = min(2*nap, longestNap) {
		if err := view.Over(); err != nil {
			return err
		}
		time.Sleep(nap)
	}
	return nil
}

func (l *slot) try() bool {
	return atomic.LoadUint64(&l.lock) == 0 && atomic.CompareAndSwapUint64(&l.lock, 0, 1)
}

func (l *slot) release() { atomic.StoreUint64(&l.lock, 0) }

// retreat releases a lock that turned out to be a word of other memory. It changes nothing if another process
// has written the word meanwhile.
func (l *slot) retreat() { atomic.CompareAndSwapUint64(&l.lock, 1, 0) }
