package node

import (
	"fmt"

	"github.com/goacp/goacp/internal/system/dmi/address"
)

// registered is a space of a shard that this process holds.
type registered struct {
	description
	known map[int]bool // processes that have asked for it
}

// Map makes a space of pages, whose bytes are zero, and returns its address. It costs no memory until pages are used. Fails with
// ErrSize, and if this kind of space has no addresses any more.
func (n *Node) Map(pageSize, pages int64) (int64, error) {
	if err := CheckMap(pageSize, pages); err != nil {
		return 0, err
	}
	return n.create(description{size: pageSize * pages, pageSize: pageSize})
}

// Malloc makes a space of size bytes in pages of pageSize bytes, of which the last one may be shorter. A space of 0 bytes has an address.
// Fails as Map does.
func (n *Node) Malloc(size, pageSize int64) (int64, error) {
	if size < 0 || size > address.MaxSize || pageSize < 1 {
		return 0, fmt.Errorf("%w: %d bytes in pages of %d, where a space has at most %d bytes", ErrSize, size, pageSize, int64(address.MaxSize))
	}
	return n.create(description{size: size, pageSize: min(pageSize, max(size, 1)), malloced: true})
}

// create makes a space in a shard that this process holds, or in that of another process if these have no address any more.
func (n *Node) create(d description) (int64, error) {
	class := address.Class(d.size)
	last := &n.lastShards[class]
	for shard := range n.shards.preferred(n.self, int(last.Load())) {
		answer, ok, err := n.askHolder(shard, spaceCreate, [4]int64{d.size, d.pageSize, d.flag(), int64(shard)})
		if err != nil {
			return 0, err
		}
		if ok {
			last.Store(int32(shard))
			return answer[0], nil
		}
	}
	return 0, fmt.Errorf("%w: all spaces of up to %d bytes have been made", ErrSize, int64(1)<<class)
}

// register makes a space in a shard that this process holds, for a process. It reports whether there is an address. The caller holds the lock.
func (n *Node) register(shard int, d description, by int) (int64, bool) {
	class := address.Class(d.size)
	number := n.numbers[shard][class]
	if number >= address.Spaces(class) {
		return 0, false
	}
	if n.numbers[shard] == nil {
		n.numbers[shard] = make(map[uint]uint64)
	}
	n.numbers[shard][class]++
	base := address.Base(shard, class, number)
	n.registry[base] = &registered{d, map[int]bool{by: true}}
	return base, true
}

// describe returns the description of a space of a shard that this process holds, for a process. The caller holds the lock.
func (n *Node) describe(base int64, by int) (description, bool) {
	r := n.registry[base]
	if r == nil {
		return description{}, false
	}
	r.known[by] = true
	return r.description, true
}

// loaded returns a space that this process knows, or nil.
func (n *Node) loaded(base int64) *space {
	if s, ok := n.spaces.Load(base); ok {
		return s.(*space)
	}
	return nil
}

// space returns the space that begins at base, which may come from another process. Blocks for a round trip the first time.
func (n *Node) space(base int64) (*space, error) {
	if s := n.loaded(base); s != nil {
		return s, nil
	}
	if _, offset, ok := address.Split(base); !ok || offset != 0 {
		return nil, spaceError(base)
	}
	l := n.beginLearning(base)
	d, ok, err := n.askDescription(base)
	n.mu.Lock()
	defer n.mu.Unlock()
	if l.count--; l.count == 0 {
		delete(n.learning, base)
	}
	switch {
	case err != nil:
		return nil, err
	case !ok || l.ended:
		return nil, spaceError(base)
	}
	s, _ := n.spaces.LoadOrStore(base, &space{description: d, base: base})
	return s.(*space), nil
}

// learning counts goroutines that ask for a space.
type learning struct {
	count int
	ended bool // the space has ended meanwhile: the answer may be older
}

// beginLearning counts a goroutine that asks for a space.
func (n *Node) beginLearning(base int64) *learning {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.learning[base]
	if l == nil {
		l = new(learning)
		n.learning[base] = l
	}
	l.count++
	return l
}

// Unmap ends a space that Map has made. Accesses that begin later fail in all processes. Blocks until they all know. Fails with ErrNotBase.
func (n *Node) Unmap(addr int64) error { return n.end(addr, false) }

// Free ends a space that Malloc or Realloc has made. 0 is none. Fails as Unmap does.
func (n *Node) Free(addr int64) error {
	if addr == 0 {
		return nil
	}
	return n.end(addr, true)
}

// end ends a space.
func (n *Node) end(addr int64, malloced bool) error {
	s, offset, err := n.find(addr)
	if err == nil {
		err = s.checkEnd(offset, malloced)
	}
	if err != nil {
		return err
	}
	_, ok, err := n.askHolder(address.Shard(addr), spaceEnd, [4]int64{addr})
	if err == nil && !ok {
		err = spaceError(addr)
	}
	return err
}

// checkEnd returns an error unless the space may be ended at the address of a byte by the function for spaces that were made by Malloc or Map.
func (s *space) checkEnd(offset int64, malloced bool) error {
	switch {
	case offset != 0:
		return fmt.Errorf("%w: %#x is byte %d of its space", ErrNotBase, s.base+offset, offset)
	case s.malloced && !malloced:
		return fmt.Errorf("%w: DMI_malloc has made the space at %#x, DMI_free ends it", ErrNotBase, s.base)
	case malloced && !s.malloced:
		return fmt.Errorf("%w: DMI_mmap has made the space at %#x, DMI_munmap ends it", ErrNotBase, s.base)
	}
	return nil
}

// unregister ends a space of a shard that this process holds. Blocks for a round trip.
func (n *Node) unregister(base int64) spaceResult {
	n.mu.Lock()
	if x, ok := n.elsewhere(address.Shard(base)); ok {
		n.mu.Unlock()
		return x
	}
	r := n.registry[base]
	delete(n.registry, base)
	n.mu.Unlock()
	if r == nil {
		return yesOr(false)
	}
	n.tellEnd(base, r.known)
	n.forget(base)
	return yesOr(true)
}

// Realloc makes a space with the bytes of an old one that Malloc has made, as many as fit, and ends the old one. 0 is no old one. If it fails,
// the old one stays.
func (n *Node) Realloc(old, size, pageSize int64) (int64, error) {
	if old == 0 {
		return n.Malloc(size, pageSize)
	}
	s, offset, err := n.find(old)
	if err != nil {
		return 0, err
	}
	if offset != 0 || !s.malloced {
		return 0, fmt.Errorf("%w: %#x", ErrNotBase, old)
	}
	addr, err := n.Malloc(size, pageSize)
	if err != nil {
		return 0, err
	}
	if err := n.copySpace(addr, old, min(size, s.size)); err != nil {
		_ = n.Free(addr) // the space was made here
		return 0, err
	}
	return addr, n.Free(old)
}

// copySpace copies bytes from the beginning of one space to that of another.
func (n *Node) copySpace(to, from, size int64) error {
	b := make([]byte, min(size, 1<<20))
	for at := int64(0); at < size; at += int64(len(b)) {
		b = b[:min(int64(len(b)), size-at)]
		if err := n.Read(from+at, b, Get); err != nil {
			return err
		}
		if err := n.Write(to+at, b, Exclusive); err != nil {
			return err
		}
	}
	return nil
}
