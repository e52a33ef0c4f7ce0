package segment

import (
	"cmp"
	"slices"
	"sort"
	"sync"
)

// coverage knows which memory of this process is published: the address ranges of the published
// regions, which may overlap. To add and to remove one takes time that hardly grows with their
// number. As the table, it is a tree of two levels, so that few cache lines are read: there a balanced
// binary tree takes most of the time of unregistering many regions. Changes wait until covers is called or
// mostWaiting have come. Then they are carried out in order of address: neighbours change the same cache
// lines one after the other, in whatever order the program has unregistered them.
type coverage struct {
	mu      sync.Mutex
	groups  []group  // in order; none is empty
	waiting []change // in order of time
}

// mostWaiting bounds the changes that wait.
const mostWaiting = 1 << 14

// change is a span that was added or removed.
type change struct {
	span
	removed bool
	turn    int // among those that wait
}

// span is the memory of the region at a position. Spans are in order of address, and then of position.
type span struct {
	extent
	pos uint64
}

func (s span) compare(other span) int {
	if s.addr != other.addr {
		return cmp.Compare(s.addr, other.addr)
	}
	return cmp.Compare(s.pos, other.pos)
}

// group is up to leafSize spans that follow each other.
type group struct {
	first span
	reach uint64 // where the memory ends that ends last
	spans []span
}

// newGroup returns a group of spans, with room for as many as there may be.
func newGroup(spans []span) group {
	g := group{spans: append(make([]span, 0, leafSize), spans...)}
	g.update()
	return g
}

// update makes first and reach what they are when spans were taken out.
func (g *group) update() {
	g.first, g.reach = g.spans[0], 0
	for _, s := range g.spans {
		g.reach = max(g.reach, s.end())
	}
}

// last returns the address of the last span.
func (g *group) last() uint64 { return g.spans[len(g.spans)-1].addr }

// find returns the group to which s belongs. There is a group.
func (c *coverage) find(s span) int {
	return max(sort.Search(len(c.groups), func(i int) bool { return c.groups[i].first.compare(s) > 0 })-1, 0)
}

// add adds the memory of a region.
func (c *coverage) add(s span) { c.enter(change{span: s}) }

// remove takes out what add has added.
func (c *coverage) remove(s span) { c.enter(change{span: s, removed: true}) }

// enter notes a change.
func (c *coverage) enter(x change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x.turn = len(c.waiting)
	if c.waiting = append(c.waiting, x); len(c.waiting) == mostWaiting {
		c.settle()
	}
}

// settle carries out the changes that wait. The caller holds the lock.
func (c *coverage) settle() {
	slices.SortFunc(c.waiting, func(x, y change) int {
		return cmp.Or(x.compare(y.span), cmp.Compare(x.turn, y.turn))
	})
	for _, x := range c.waiting {
		if x.removed {
			c.takeOut(x.span)
		} else {
			c.putIn(x.span)
		}
	}
	c.waiting = c.waiting[:0]
}

func (c *coverage) putIn(s span) {
	if len(c.groups) == 0 {
		c.groups = append(c.groups, newGroup([]span{s}))
		return
	}
	at := c.find(s)
	if spans := c.groups[at].spans; len(spans) == leafSize {
		if at == len(c.groups)-1 && s.compare(spans[leafSize-1]) > 0 { // as addresses often go up
			c.groups = append(c.groups, newGroup([]span{s}))
			return
		}
		c.groups = slices.Insert(c.groups, at+1, newGroup(spans[leafSize/2:]))
		c.groups[at].spans = spans[:leafSize/2]
		c.groups[at].update()
		at = c.find(s)
	}
	g := &c.groups[at]
	i, _ := slices.BinarySearchFunc(g.spans, s, span.compare)
	g.spans = slices.Insert(g.spans, i, s)
	g.first, g.reach = g.spans[0], max(g.reach, s.end())
}

func (c *coverage) takeOut(s span) {
	at := c.find(s)
	g := &c.groups[at]
	i, _ := slices.BinarySearchFunc(g.spans, s, span.compare)
	g.spans = slices.Delete(g.spans, i, i+1)
	switch {
	case len(g.spans) == 0:
		c.groups = slices.Delete(c.groups, at, at+1)
	case i == 0 || s.end() == g.reach:
		g.update()
	}
	c.join(at)
	c.join(at - 1)
}

// join makes one group of a group and the next one, if they are small together.
func (c *coverage) join(at int) {
	if at < 0 || at+1 >= len(c.groups) || len(c.groups[at].spans)+len(c.groups[at+1].spans) > leafSize/2 {
		return
	}
	c.groups[at].spans = append(c.groups[at].spans, c.groups[at+1].spans...)
	c.groups[at].update()
	c.groups = slices.Delete(c.groups, at+1, at+2)
}

// clear takes out everything.
func (c *coverage) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups, c.waiting = nil, nil
}

// covers reports whether all bytes of x are published.
func (c *coverage) covers(x extent) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	at := x.addr // what is before it is covered
	for i := range c.groups {
		g := &c.groups[i]
		switch {
		case at >= x.end() || g.first.addr > at:
			return at >= x.end()
		case g.last() <= at:
			at = max(at, g.reach)
			continue
		}
		for _, s := range g.spans {
			if s.addr > at {
				return at >= x.end()
			}
			at = max(at, s.end())
		}
	}
	return at >= x.end()
}
