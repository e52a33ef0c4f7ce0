package channel

import (
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ring"
)

// pairKey names the channels in one direction between this process and another.
type pairKey struct {
	peer   int
	sender bool // this process sends
}

// pair matches the ends of this process with those of another process.
type pair struct {
	made        uint64                  // ends made here
	unconnected map[uint64]*Channel     // senders by number whose announcement has not come
	unexpected  map[uint64]announcement // by number, for senders that are not made yet
}

// pair returns the pair with a key. The caller holds h.mu.
func (h *Engine) pair(key pairKey) *pair {
	if h.pairs[key] == nil {
		h.pairs[key] = new(pair)
	}
	return h.pairs[key]
}

// expect returns the announcement for sender c, which has number n, if it has come. Otherwise the
// pair keeps c until it comes. The caller holds h.mu.
func (p *pair) expect(n uint64, c *Channel) (a announcement, ok bool) {
	if a, ok = p.unexpected[n]; ok {
		p.unexpected = without(p.unexpected, n)
		return a, true
	}
	if p.unconnected == nil {
		p.unconnected = make(map[uint64]*Channel)
	}
	p.unconnected[n] = c
	return a, false
}

// match returns the sender that an announcement is for. If the sender is not made yet, it keeps the
// announcement and returns nil. A process has no more than ring.MaxEndpoints senders, so match keeps no more
// announcements from one other process.
func (h *Engine) match(a announcement) (*Channel, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.pair(pairKey{int(a.From), true})
	if c := p.unconnected[a.Number]; c != nil {
		p.unconnected = without(p.unconnected, a.Number)
		return c, nil
	}
	if _, twice := p.unexpected[a.Number]; twice || a.Number <= p.made || a.Number-p.made > ring.MaxEndpoints {
		return nil, fmt.Errorf("%w: channel %d of rank %d, of which %d are known", global.ErrProtocol, a.Number, h.rankOf(int(a.From)), p.made)
	}
	if p.unexpected == nil {
		p.unexpected = make(map[uint64]announcement)
	}
	p.unexpected[a.Number] = a
	return nil, nil
}

// without returns m without the element that has the key, nil if it was the last: maps do not
// give memory back.
func without[V any](m map[uint64]V, key uint64) map[uint64]V {
	if delete(m, key); len(m) == 0 {
		return nil
	}
	return m
}
