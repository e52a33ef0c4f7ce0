package array

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// lookup is the data of the caller about the elements of a selection.
type lookup struct {
	a      *Array
	placed *placed
	pairs  []pair   // by entry
	data   [][]byte // by entry: the first bytes, which came with the records; nil if there are none
	calls  calls    // that have requested them
}

// lookups are unused lookups, for reuse: allocating them would take too long in a call for many places.
var lookups = sync.Pool{New: func() any { return new(lookup) }}

// newLookup returns a lookup for a number of entries, without data.
func newLookup(a *Array, p *placed, entries int) *lookup {
	l := lookups.Get().(*lookup)
	l.a, l.placed, l.pairs, l.calls.sys = a, p, slices.Grow(l.pairs[:0], entries)[:entries], a.sys
	return l
}

// release ends the use of the lookup and of its Sizes. A call that fails need not release it.
func (l *lookup) release() {
	l.calls.release()
	*l = lookup{pairs: l.pairs}
	lookups.Put(l)
}

// heapView returns the heap of a rank if this process has mapped it, otherwise nil.
func (s *System) heapView(rank int) *heapview.View { return s.mem.HeapView(s.p.Ranks.Member(rank)) }

// near reads the records of a part, whose rank has the heap a. It reports whether this process
// reaches them.
func (l *lookup) near(heap *heapview.View, part grid.Part) (bool, error) {
	if heap == nil {
		return false, nil
	}
	end := 0
	for _, r := range part.Runs {
		end = max(end, r.Index+r.N)
	}
	recs, err := recordsAt(heap, l.placed.blocks[part.Rank], end)
	if err != nil {
		return false, nil // its agent reaches them
	}
	for _, r := range part.Runs {
		if err := recs.loadAll(r.Index, l.pairs[r.Entry:r.Entry+r.N], l.a.sys.mem.Alive); err != nil {
			return false, err
		}
	}
	return true, nil
}

// placesWithBytes is the number of places in a message that also requests the bytes of their elements. The owner
// makes one reply while the previous reply is in flight, and many short elements fit in the replies.
const placesWithBytes = 256

// ask requests the records of a part from its owner, and with bytes also the first bytes: all bytes of short
// elements or, if dst is not nil, as many as its entries have.
func (l *lookup) ask(part grid.Part, bytes bool, dst [][]byte) error {
	if bytes && l.data == nil {
		l.data = make([][]byte, len(l.pairs))
	}
	most := maxPlaces
	if bytes {
		most = placesWithBytes
	}
	for runs := slices.Clone(part.Runs); len(runs) > 0; {
		var message places
		message, runs = cut(runs, most)
		message.array, message.flag = l.a.number, bytes
		w := wanted{bytes: bytes}
		if dst != nil {
			w.limits = message.limits(dst)
		}
		request := message.append(make([]byte, 0, message.bytes()+len(w.limits)*lengthSize))
		err := l.calls.start(part.Rank, opCollect, w.append(request), collectionSize(message.n, w), func(b []byte) error {
			return l.take(part.Rank, message, w, b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cut returns the first runs, with at most most places together, and the remaining runs. It changes the run that
// is in both.
func cut(runs []grid.Run, most int) (first places, others []grid.Run) {
	first.runs = make([]grid.Run, 0, min(len(runs), most))
	for len(runs) > 0 && first.n < most {
		r := runs[0]
		if n := most - first.n; r.N > n {
			runs[0] = grid.Run{Index: r.Index + n, Entry: r.Entry + n, N: r.N - n}
			r.N = n
		} else {
			runs = runs[1:]
		}
		first.runs, first.n = append(first.runs, r), first.n+r.N
	}
	return first, runs
}

// limits returns the lengths of the entries of dst that belong to the places of a message.
func (p places) limits(dst [][]byte) []uint32 {
	limits := make([]uint32, 0, p.n)
	for _, r := range p.runs {
		for _, mem := range dst[r.Entry : r.Entry+r.N] {
			limits = append(limits, uint32(min(len(mem), math.MaxUint32)))
		}
	}
	return limits
}

// take takes the answer of an owner.
func (l *lookup) take(rank int, message places, w wanted, b []byte) error {
	pairs, data, err := decodeCollection(b, message.n, w)
	if err != nil {
		return fmt.Errorf("rank %d: %w", rank, err)
	}
	heap := l.a.sys.mem.HeapSize(l.a.sys.p.Ranks.Member(rank))
	k := 0
	for _, r := range message.runs {
		for i := range r.N {
			if p := pairs[k]; p.size > heap || p.size > 0 && ga.Rank(p.at) != rank {
				return fmt.Errorf("%w: rank %d has an element of %d bytes at %#x", global.ErrProtocol, rank, p.size, p.at)
			}
			l.pairs[r.Entry+i] = pairs[k]
			if message.flag {
				l.data[r.Entry+i] = data[k]
			}
			k++
		}
	}
	return nil
}

// Sizes is the bytes of the element of each entry of a selection, 0 for places without one.
type Sizes []pair

// Of returns the bytes of the element of an entry.
func (s Sizes) Of(entry int) uint64 { return s[entry].size }

// Total returns the bytes of all elements together.
func (s Sizes) Total() (total uint64) {
	for i := range s {
		total += s[i].size
	}
	return total
}
