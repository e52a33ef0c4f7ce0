package node

import (
	"cmp"
	"container/list"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// pool has the pages in the heap of this process, for replacement: when the heap is full, copies go first, and then pages that this
// process owns.
type pool struct {
	replacing sync.Mutex // held while pages are replaced

	mu     sync.Mutex // of the lists, and of the elements of entries
	copies *list.List // of *entry, in the order of the last look, those that were looked at least recently first
	owned  *list.List // likewise
	copied int64      // bytes of the copies
}

// begin makes the pool one of no pages.
func (p *pool) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.copies, p.owned, p.copied = list.New(), list.New(), 0
}

// addCopy adds a page to the pages with copies.
func (p *pool) addCopy(e *entry) { p.add(p.copies, e) }

// addOwned adds a page to the owned pages.
func (p *pool) addOwned(e *entry) { p.add(p.owned, e) }

func (p *pool) add(to *list.List, e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(e)
	e.pooled = to.PushBack(e)
	if to == p.copies {
		p.copied += e.size()
	}
}

// remove removes a page without bytes.
func (p *pool) remove(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(e)
}

// take takes a page from its list. The caller holds the lock.
func (p *pool) take(e *entry) {
	if e.pooled == nil {
		return
	}
	before := p.copies.Len()
	p.copies.Remove(e.pooled) // one of the lists has it
	p.owned.Remove(e.pooled)
	e.pooled = nil
	if p.copies.Len() < before {
		p.copied -= e.size()
	}
}

// all returns the pages of a list.
func (p *pool) all(of *list.List) []*entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*entry
	for x := of.Front(); x != nil; x = x.Next() {
		all = append(all, x.Value.(*entry))
	}
	return all
}

// rotate moves the first page of a list to its end, and returns it, or nil if the list is empty. used says that the copy was used since the last
// look at it.
func (p *pool) rotate(of *list.List) (e *entry, used bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := of.Front()
	if x == nil {
		return nil, false
	}
	of.MoveToBack(x)
	e = x.Value.(*entry)
	return e, e.used.Swap(false)
}

// len returns how many pages a list has.
func (p *pool) len(of *list.List) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return of.Len()
}

// allocate returns a block of this process's heap. If the heap is full, other pages give way, which takes some round trips. The caller
// holds no lock.
func (n *Node) allocate(size int64, zero bool) (block, error) {
	for {
		b, err := n.alloc(size, zero)
		if !errors.Is(err, heapview.ErrFull) {
			return b, err
		}
		if size > int64(n.mem.HeapSize(n.self)) || !n.replace() {
			return b, err
		}
	}
}

// replace frees memory of at least one page, and reports whether it has.
func (n *Node) replace() bool {
	n.pool.replacing.Lock()
	defer n.pool.replacing.Unlock()
	if n.evictOne() {
		return true
	}
	most := int64(math.MaxInt64) // no process has room for a page of so many bytes
	for range n.pool.len(n.pool.owned) {
		e, _ := n.pool.rotate(n.pool.owned)
		if e == nil || e.size() >= most || !n.movable(e) {
			continue
		}
		members := n.byRoom(e.size())
		if n.giveOne(e, members) {
			return true
		}
		if len(members) == 0 {
			most = e.size()
		}
	}
	return false
}

// evictOne gives up a copy that was not used since the last look at it, or any copy if there is none such. It reports whether there was
// one.
func (n *Node) evictOne() bool {
	for range 2 * n.pool.len(n.pool.copies) { // in the second round no copy counts as used
		if e, used := n.pool.rotate(n.pool.copies); e != nil && !used && n.evict(e) {
			return true
		}
	}
	return false
}

// evict gives up the copy of a page, unless it is saved or watched. It reports whether it has. The owner learns it when it changes the page.
func (n *Node) evict(e *entry) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.copy.Valid() || e.saved || len(e.watchers) > 0 {
		return false
	}
	n.dropCopy(e)
	return true
}

// movable reports whether this process may give a page to another one.
func (n *Node) movable(e *entry) bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.own != nil && !e.saved && e.own.machine.Idle()
}

// moveAway gives a page to the process with most room for it, and reports whether it has.
func (n *Node) moveAway(e *entry) bool { return n.giveOne(e, n.byRoom(e.size())) }

// giveOne gives a page to the first of some processes that takes it, and reports whether one has.
func (n *Node) giveOne(e *entry, members []int) bool {
	return slices.ContainsFunc(members, func(member int) bool { return n.give(e, member) })
}

// give lets another process take a page of this one, and reports whether it has.
func (n *Node) give(e *entry, to int) bool {
	_, outcome, err := n.askSpace(to, spaceTake, [4]int64{e.space.base, e.page})
	return err == nil && outcome == spaceYes
}

// byRoom returns the other processes that have room for some bytes, those with most room first.
func (n *Node) byRoom(size int64) []int {
	rooms := map[int]int64{}
	for _, member := range n.p.Ranks.Members() {
		if member == n.self || !n.p.Present(member) {
			continue
		}
		if answer, outcome, err := n.askSpace(member, spaceRoom, [4]int64{}); err == nil && outcome == spaceYes && answer[0] > size {
			rooms[member] = answer[0]
		}
	}
	members := make([]int, 0, len(rooms))
	for member := range rooms {
		members = append(members, member)
	}
	slices.SortFunc(members, func(a, b int) int { return cmp.Or(cmp.Compare(rooms[b], rooms[a]), cmp.Compare(a, b)) })
	return members
}

// room returns how many bytes of the heap are free, or of copies.
func (n *Node) room() int64 {
	_, used, err := n.mem.Own().Usage()
	if err != nil || n.leaving.Load() {
		return 0
	}
	n.pool.mu.Lock()
	defer n.pool.mu.Unlock()
	return int64(n.mem.HeapSize(n.self)) - int64(used) + n.pool.copied
}

// takeOver makes this process the owner of a page of another one that has asked for that, if there is room.
func (n *Node) takeOver(base, number int64) bool {
	if n.users.Enter() != nil {
		return false
	}
	defer n.users.Leave()
	if !n.coming.TryRLock() {
		return false // the process is about to leave
	}
	defer n.coming.RUnlock()
	s, err := n.space(base)
	if err != nil || number < 0 || number >= s.count() || n.leaving.Load() {
		return false
	}
	e := s.entry(number)
	if _, err := n.takeFor(e, 0, 0, &change{kind: nothing}, flagMove); err != nil {
		return false
	}
	return true
}

// Save keeps the pages of a range in this process, if they are here: replacement does not remove them. Pages of other hosts that are not
// here come first, as a read with Invalidate lets them come. Fails as Read does, and for lack of memory for them.
func (n *Node) Save(addr, size int64) error {
	return n.pagesOf(addr, size, func(s *space, first, last int64) error {
		for number := first; number <= last; number++ {
			e := s.entry(number)
			e.save(true)
			if err := n.readKept(part{entry: e}, Invalidate); err != nil {
				e.save(false)
				return err
			}
		}
		return nil
	})
}

// Unsave takes back any number of calls of Save for the pages of a range. Fails as Read does.
func (n *Node) Unsave(addr, size int64) error {
	return n.pagesOf(addr, size, func(s *space, first, last int64) error {
		s.knownIn(first, last, func(e *entry) { e.save(false) })
		return nil
	})
}

// pagesOf calls f with the space of a range, and its first and last page. If there is no byte, f is not called.
func (n *Node) pagesOf(addr, size int64, f func(s *space, first, last int64) error) error {
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	s, offset, err := n.check(addr, size)
	if err != nil || size == 0 {
		return err
	}
	return f(s, offset/s.pageSize, (offset+size-1)/s.pageSize)
}

func (e *entry) save(saved bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saved = saved
}

// becomeOwner is firstTouch for a process whose heap is full: other pages give way first.
func (n *Node) becomeOwner(e *entry, p *pending) {
	h, err := n.reserveFor(e, true, n.replace)
	var o outbox
	e.mu.Lock()
	switch {
	case err != nil:
		n.conclude(&o, e, p, noMemory, answer{}, 0)
	case e.own == nil && e.untouched() && n.home(e) == n.self && !n.shards.isMoving(e.shard()) && !e.space.ended.Load():
		n.own(&o, e, h, page.State{}, 1)
		n.arrive(&o, e, p)
	default:
		n.giveBack(&h)
		n.admit(&o, e, p)
	}
	e.mu.Unlock()
	o.flush()
}
