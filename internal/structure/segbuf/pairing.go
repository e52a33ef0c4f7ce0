package segbuf

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
)

// pairing matches the ends of this process with the ends of other processes.
type pairing struct {
	ranks *ga.Ranks
	life  atomic.Uint64 // Resets so far

	mu    sync.Mutex
	pairs map[pairKey]*pair
}

// pairKey names the segmented buffers in one direction between this process and another.
type pairKey struct {
	peer   int  // member
	source bool // this process is the source
}

// pair has the segmented buffers with one key.
type pair struct {
	made  uint64          // ends made here
	ends  map[uint64]*End // by number: ends not freed yet
	early map[uint64]note // by number: notes for ends that are not made yet
}

// maxEarly bounds the notes that are kept for ends that are not made yet.
const maxEarly = 1 << 20

// pair returns the pair with a key. The caller holds the lock.
func (g *pairing) pair(key pairKey) *pair {
	if g.pairs == nil {
		g.pairs = make(map[pairKey]*pair)
	}
	if g.pairs[key] == nil {
		g.pairs[key] = &pair{ends: make(map[uint64]*End), early: make(map[uint64]note)}
	}
	return g.pairs[key]
}

// enter gives a new end its number, and connects it if the other end is there.
func (g *pairing) enter(e *End) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.pair(e.key())
	e.life, e.number = g.life.Load(), p.made
	p.made++
	p.ends[e.number] = e
	if n, ok := p.early[e.number]; ok {
		delete(p.early, e.number)
		e.join(n)
	}
}

// remove removes an end that is freed.
func (g *pairing) remove(e *End) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.pair(e.key()).ends, e.number)
}

// take hands a note of member from to the end that it is for, or keeps it until that end is
// made. It drops notes from before a Reset, and those for an end that is freed. Fails with
// global.ErrProtocol if the end or the other process cannot be in such a state.
func (g *pairing) take(from int, n note) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n.life != g.life.Load() {
		return nil
	}
	p := g.pair(pairKey{from, n.toSource != 0})
	if e := p.ends[n.number]; e != nil {
		return e.take(n)
	}
	_, twice := p.early[n.number]
	switch {
	case n.number < p.made:
		return nil
	case n.number-p.made >= maxEarly:
		return fmt.Errorf("%w: segmented buffer %d of rank %d, of which %d are known", global.ErrProtocol, n.number, g.ranks.Rank(from), p.made)
	case twice, n.kind != noteJoin:
		return fmt.Errorf("%w: message %d about segmented buffer %d of rank %d, which is not there yet", global.ErrProtocol, n.kind, n.number, g.ranks.Rank(from))
	}
	p.early[n.number] = n
	return nil
}

// all returns the ends that are not freed.
func (g *pairing) all() []*End {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []*End
	for _, p := range g.pairs {
		for _, e := range p.ends {
			all = append(all, e)
		}
	}
	return all
}

// forget is called at a Reset: afterwards there are no ends.
func (g *pairing) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.life.Add(1)
	clear(g.pairs)
}
