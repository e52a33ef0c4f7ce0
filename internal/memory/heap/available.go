package heap

import (
	"errors"
	"fmt"
)

// Memory limits. The kernel kills a process that touches more memory than its limit allows, so a
// heap gives out a block only if memory is left for it. The metadata counts the spans in use, and the
// granted spans: how many may be in use before a process checks again how much memory is left. A
// process without a memory limit does not check.

// Available has the functions that return how much memory is left for a heap. They are called without the lock of
// the heap.
type Available struct {
	// Left returns how many bytes more this process may touch, or false if nothing limits it.
	Left func() (uint64, bool)
	// Resident returns how many of the n bytes from the off-th byte of the heap on have
	// memory. It is called for multiples of Unit.
	Resident func(off, n uint64) (uint64, error)
}

// spare returns the most spans that are granted beyond need. They are few, because what is
// left changes: the program and other processes take memory, too. They grow with need,
// because so does the time for a look.
func spare(need uint64) uint64 { return 16<<20>>spanShift + need/8 }

// errUngranted: the heap needs more spans than are granted. Nothing has changed.
var errUngranted = errors.New("no more spans are granted")

// run is length adjacent spans.
type run struct{ first, length uint32 }

// end returns the span behind the run.
func (r run) end() uint32 { return r.first + r.length }

// granted reports whether length more spans may be in use. If there are not so many, memory is not what
// lacks. The caller holds the lock.
func (h *Heap) granted(length uint32) bool {
	need := h.metadata.taken + uint64(length)
	return h.available == nil || need <= h.metadata.granted || need > h.total
}

// ungrant counts length spans as not in use any more. It takes back what is granted far beyond the
// spans in use. If the spans keep their memory, it takes back what was granted for them, because
// other spans may be used instead. The caller holds the lock.
func (h *Heap) ungrant(length uint32, kept bool) {
	b := h.metadata
	b.taken -= uint64(length)
	if kept {
		b.granted -= min(b.granted, uint64(length))
	}
	b.granted = min(b.granted, b.taken+spare(b.taken))
}

// grant checks how much memory is left and grants length more spans. If there is too little, it
// gives the memory of free spans back to the system. If that is not enough either, it fails with
// ErrLimit.
func (h *Heap) grant(length uint32) error {
	for purged := false; ; purged = true {
		bytes, err := h.usable(length)
		if err != nil {
			return err
		}
		done, err := h.grantOf(bytes>>spanShift, length, purged)
		if done || err != nil {
			return err
		}
	}
}

// usable returns how many bytes blocks may have altogether: those that have memory and those for
// which memory is left. Blocks to which nothing was written yet have no memory, so they do not
// count among the first, and memory is not promised twice. It may return less if that is enough for
// length more spans.
func (h *Heap) usable(length uint32) (uint64, error) {
	left, limited := h.available.Left()
	if !limited {
		return h.total << spanShift, nil
	}
	used, err := h.usedBeyond(left>>spanShift, length)
	if err != nil {
		return 0, err
	}
	for _, r := range used {
		n, err := h.available.Resident(uint64(r.first-1)<<spanShift, uint64(r.length)<<spanShift)
		if err != nil {
			return 0, err
		}
		left += n
	}
	return left, nil
}

// usedBeyond returns the runs of spans in use if they are, with length more, more than left,
// and otherwise none.
func (h *Heap) usedBeyond(left uint64, length uint32) ([]run, error) {
	if err := h.metadata.lock.Lock(h.over); err != nil {
		return nil, err
	}
	defer h.metadata.lock.Unlock()
	if h.metadata.taken+uint64(length) <= left {
		return nil, nil
	}
	return h.used()
}

// grantOf grants length more spans if no more than usable are in use then. If they are, it
// fails with ErrLimit when free spans are purged, or else purges them.
func (h *Heap) grantOf(usable uint64, length uint32, purged bool) (done bool, err error) {
	if err := h.metadata.lock.Lock(h.over); err != nil {
		return false, err
	}
	defer h.metadata.lock.Unlock()
	if h.metadata.taken > h.total {
		return false, fmt.Errorf("%w: %d of %d spans are in use", ErrDamaged, h.metadata.taken, h.total)
	}
	need := h.metadata.taken + uint64(length)
	switch {
	case need <= usable:
		h.metadata.granted = need + min((usable-need)/8, spare(need))
		return true, nil
	case purged:
		return false, ErrLimit
	}
	return false, h.purgeFree()
}

// used returns the runs of spans in use, joined with their neighbours. If free spans keep
// their memory, it is all spans, because blocks get that memory again. The caller holds the
// lock.
func (h *Heap) used() ([]run, error) {
	if h.purge == nil {
		return []run{{1, uint32(h.total)}}, nil
	}
	if err := h.cover(0); err != nil {
		return nil, err
	}
	var used []run
	end := uint32(h.Top()>>spanShift) + 1
	for n := uint32(1); n < end; {
		s, err := h.span(n)
		if err != nil {
			return nil, err
		}
		kind, length := s.kind, s.length
		if length == 0 || length > end-n || kind == spanInner {
			return nil, fmt.Errorf("%w: no run and no block begins at span %d of %d", ErrDamaged, n, end-1)
		}
		switch last := len(used) - 1; {
		case kind == spanFree:
		case last >= 0 && used[last].end() == n:
			used[last].length += length
		default:
			used = append(used, run{n, length})
		}
		n += length
	}
	return used, nil
}

// purgeFree gives the memory of all free spans back to the system: small blocks leave it
// when they are freed. The caller holds the lock.
func (h *Heap) purgeFree() error {
	if h.purge == nil {
		return nil
	}
	used, err := h.used()
	if err != nil {
		return err
	}
	next := uint32(1)
	for _, r := range append(used, run{first: uint32(h.total) + 1}) {
		if r.first > next {
			err := h.purge(uint64(next-1)<<spanShift, uint64(r.first-next)<<spanShift)
			if err != nil && !errors.Is(err, ErrShort) { // it has not mapped what it cannot reach
				return err
			}
		}
		next = r.end()
	}
	return nil
}
