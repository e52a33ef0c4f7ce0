package segment

import (
	"iter"
	"sort"
	"sync/atomic"
)

// Here is what only the owner of a table does, under its lock. Two leaves that are neighbours
// always have more than leafSize regions together. So there are no more than maxLeaves.

// insert adds a region. Fails with ErrTableFull.
func (t *table) insert(e entry) error {
	if t.regions == maxEntries {
		return ErrTableFull
	}
	t.regions++
	t.change(func() {
		if t.head.leaves == 0 {
			t.insertLeaf(0, leaf{first: e.pos, at: t.take()})
		}
		at, i := t.find(e.pos)
		split := t.index[at].count == leafSize
		if split {
			at, i = t.split(at, i)
		}
		t.open(at, i, e)
		if split { // the halves have room for what a neighbour has
			t.join(at + 1)
			t.join(at)
			t.join(at - 1)
			t.join(at - 2)
		}
	})
	return nil
}

// remove takes out the region that begins at pos.
func (t *table) remove(pos uint64) {
	if t.head.leaves == 0 {
		return
	}
	at, i := t.find(pos)
	l := &t.index[at]
	if i == int(l.count) || t.of(at)[i].pos != pos {
		return
	}
	t.regions--
	t.change(func() {
		t.shut(at, i)
		if l.count == 0 {
			t.removeLeaf(at)
		} else {
			t.join(at)
		}
		t.join(at - 1)
	})
}

// clear takes out everything.
func (t *table) clear() {
	t.change(func() { atomic.StoreUint32(&t.head.leaves, 0) })
	t.regions, t.free = 0, t.free[:0]
	for number := t.head.made; number > 0; number-- {
		t.free = append(t.free, number-1)
	}
}

// since yields the regions that begin at pos or behind it, in order of position.
func (t *table) since(pos uint64) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		if t.head.leaves == 0 {
			return
		}
		for at, i := t.find(pos); at < int(t.head.leaves); at, i = at+1, 0 {
			for _, e := range t.of(at)[i:] {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// before returns the last region that begins before pos.
func (t *table) before(pos uint64) (e entry, ok bool) {
	if t.head.leaves == 0 {
		return entry{}, false
	}
	at, i := t.find(pos)
	if i == 0 && at > 0 {
		at--
		i = int(t.index[at].count)
	}
	if i == 0 {
		return entry{}, false
	}
	return t.of(at)[i-1], true
}

// gap returns the lowest position of at least need free positions at or after
// from, and false if there is none below UserEnd.
func (t *table) gap(from, need uint64) (uint64, bool) {
	at := from
	if e, ok := t.before(from); ok {
		at = max(at, end(e))
	}
	for e := range t.since(from) {
		if at+need <= e.pos&^(PageSize-1) {
			return at, true
		}
		at = max(at, end(e))
	}
	return at, at+need <= UserEnd
}

// end is the first position that a region behind e may have. An unused page between the two
// makes an access that runs beyond one region fail.
func end(e entry) uint64 { return roundUp(e.pos+e.size, PageSize) + PageSize }

// find returns the leaf to which a region that begins at pos belongs, and how many of its regions
// begin before pos. There is a leaf.
func (t *table) find(pos uint64) (at, i int) {
	at = max(sort.Search(int(t.head.leaves), func(i int) bool { return t.index[i].first > pos })-1, 0)
	entries := t.of(at)
	return at, sort.Search(len(entries), func(i int) bool { return entries[i].pos >= pos })
}

// of returns the entries of a leaf.
func (t *table) of(at int) []entry {
	l := &t.index[at]
	return t.entries[l.at:][:l.count]
}

// open puts e before the i-th region of a leaf, which has room.
func (t *table) open(at, i int, e entry) {
	l := t.index[at]
	front, full := l.at%leafSize > 0, (l.at+l.count)%leafSize == 0 && l.count > 0
	l.count++
	if front && (full || i < int(l.count)/2) { // the fewer entries move
		l.at--
		entries := t.entries[l.at:][:l.count]
		moveEntries(entries[:i], entries[1:])
	} else {
		entries := t.entries[l.at:][:l.count]
		moveEntries(entries[i+1:], entries[i:])
	}
	entries := t.entries[l.at:][:l.count]
	set(&entries[i], e)
	l.first = entries[0].pos
	t.setLeaf(at, l)
}

// shut takes the i-th region out of a leaf.
func (t *table) shut(at, i int) {
	l, entries := t.index[at], t.of(at)
	l.count--
	if i < len(entries)/2 {
		moveEntries(entries[1:i+1], entries)
		l.at++
	} else {
		moveEntries(entries[i:len(entries)-1], entries[i+1:])
	}
	l.first = t.entries[l.at].pos
	t.setLeaf(at, l)
}

// split makes room in a leaf for a region before its i-th one, and returns where that goes now. It
// moves the upper half of the leaf to a new leaf. Behind the last region of all it moves nothing:
// positions mostly go up, and the leaves become full.
func (t *table) split(at, i int) (int, int) {
	keep := leafSize / 2
	if i == leafSize && at == int(t.head.leaves)-1 {
		keep = leafSize
	}
	l, entries := t.index[at], t.of(at)
	upper := leaf{first: entries[min(keep, leafSize-1)].pos, at: t.take(), count: uint32(leafSize - keep)}
	moveEntries(t.entries[upper.at:][:upper.count], entries[keep:])
	l.count = uint32(keep)
	t.setLeaf(at, l)
	t.insertLeaf(at+1, upper)
	if i > keep || keep == leafSize {
		return at + 1, i - keep
	}
	return at, i
}

// join puts the regions of a leaf and of the next one into one leaf, if they fit.
func (t *table) join(at int) {
	if at < 0 || at+1 >= int(t.head.leaves) || t.index[at].count+t.index[at+1].count > leafSize {
		return
	}
	l, entries, more := t.index[at], t.of(at), t.of(at+1)
	l.count += uint32(len(more))
	if l.at%leafSize+l.count > leafSize { // they begin too late
		l.at -= l.at % leafSize
		moveEntries(t.entries[l.at:][:len(entries)], entries)
	}
	moveEntries(t.entries[int(l.at)+len(entries):][:len(more)], more)
	t.setLeaf(at, l)
	t.removeLeaf(at + 1)
}

// take returns the index of the first entry of a room for a new leaf.
func (t *table) take() uint32 {
	if n := len(t.free); n > 0 {
		number := t.free[n-1]
		t.free = t.free[:n-1]
		return number * leafSize
	}
	number := t.head.made
	atomic.StoreUint32(&t.head.made, number+1)
	return number * leafSize
}

func (t *table) insertLeaf(at int, l leaf) {
	n := int(t.head.leaves)
	moveLeaves(t.index[at+1:n+1], t.index[at:])
	t.setLeaf(at, l)
	atomic.StoreUint32(&t.head.leaves, uint32(n+1))
}

func (t *table) removeLeaf(at int) {
	t.free = append(t.free, t.index[at].at/leafSize)
	n := int(t.head.leaves) - 1
	moveLeaves(t.index[at:n], t.index[at+1:])
	atomic.StoreUint32(&t.head.leaves, uint32(n))
}

// change makes readers ignore what they find while f changes the table.
func (t *table) change(f func()) {
	atomic.AddUint32(&t.head.seq, 1)
	f()
	atomic.AddUint32(&t.head.seq, 1)
}

func (t *table) setLeaf(at int, l leaf) { setLeaf(&t.index[at], l) }

func setLeaf(to *leaf, l leaf) {
	atomic.StoreUint64(&to.first, l.first)
	atomic.StoreUint32(&to.at, l.at)
	atomic.StoreUint32(&to.count, l.count)
}

func set(to *entry, e entry) {
	atomic.StoreUint64(&to.pos, e.pos)
	atomic.StoreUint64(&to.size, e.size)
	atomic.StoreUint64(&to.addr, e.addr)
}
