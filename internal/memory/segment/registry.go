package segment

import (
	"errors"
	"fmt"
	"sync"
)

// Key names a registered region of this process. It is never 0.
type Key uint64

// ErrUnknownKey says that a key was never given out by this process or that its
// region has been unregistered.
var ErrUnknownKey = errors.New("unknown key")

// region is one contiguous piece of registered memory.
type region struct {
	key   Key
	lo    uintptr
	size  uint64
	color int
	count int
	pos   uint64 // 0 until the first translation
	own   bool   // in starter memory or the heap, whose positions it has: not in the table
}

// published reports whether the region is in the table.
func (g *region) published() bool { return g.pos != 0 && !g.own }

func (g *region) span() span { return span{extent{uint64(g.lo), g.size}, g.pos} }

// registry keeps the registrations of the owner.
//
// Registration is delayed and in batches: a region gets positions only at its
// first translation, and until then later registrations that touch or overlap it
// become part of it and share its key.
type registry struct {
	mu      *sync.Mutex
	table   *table
	covered *coverage
	regions byKey
	last    *region // most recent, if still open for merging
	nextKey Key
	nextPos uint64

	// position returns the position of memory that has one without registration.
	position func(addr uintptr, n uint64) (uint64, bool)
	observer Observer // may be nil
}

func newRegistry(t *table, position func(uintptr, uint64) (uint64, bool)) registry {
	return registry{mu: new(sync.Mutex), table: t, covered: new(coverage), regions: byKey{make(map[Key]*run)}, nextPos: UserBase, position: position}
}

func (r *registry) register(addr uintptr, size uint64, color int) (Key, error) {
	if err := publishable(addr, size); err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if reg := r.last; reg != nil && reg.color == color && reg.touches(addr, size) {
		reg.extend(addr, size)
		reg.count++
		return reg.key, nil
	}
	r.nextKey++
	r.last = r.regions.add(region{key: r.nextKey, lo: addr, size: size, color: color, count: 1})
	return r.nextKey, nil
}

// maxRegion is the greatest number of bytes of one region.
const maxRegion = UserEnd - UserBase - 2*PageSize

// publishable returns why no memory can be published at an address, or nil.
func publishable(addr uintptr, size uint64) error {
	switch end := uint64(addr) + size; {
	case addr == 0:
		return errors.New("null address")
	case addr < PageSize:
		return fmt.Errorf("no memory at address %#x", addr)
	case end < size || end > 1<<63:
		return fmt.Errorf("%d bytes at %#x run past the end of the address space", size, addr)
	case size > maxRegion:
		return fmt.Errorf("%d bytes: a rank can publish at most %d", size, uint64(maxRegion))
	}
	return nil
}

// lend publishes a region at once, which no other registration joins, and returns its
// first position.
func (r *registry) lend(addr uintptr, size uint64) (Key, uint64, error) {
	if err := publishable(addr, size); err != nil {
		return 0, 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nextKey++
	reg := region{key: r.nextKey, lo: addr, size: size, count: 1}
	if err := r.publish(&reg); err != nil {
		return 0, 0, err
	}
	r.regions.add(reg)
	return reg.key, reg.pos, nil
}

// touches reports whether the bytes overlap the region or begin or end where it
// ends or begins.
func (g *region) touches(addr uintptr, size uint64) bool {
	return uint64(addr) <= uint64(g.lo)+g.size && uint64(g.lo) <= uint64(addr)+size
}

func (g *region) extend(addr uintptr, size uint64) {
	hi := max(uint64(g.lo)+g.size, uint64(addr)+size)
	g.lo = min(g.lo, addr)
	g.size = hi - uint64(g.lo)
}

// unregister takes back one registration. With the last one the region is withdrawn. gone is
// then the memory of the region, unless that was not published.
func (r *registry) unregister(key Key) (gone Withdrawn, last bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reg := r.regions.find(key)
	if reg == nil {
		return gone, false, ErrUnknownKey
	}
	r.last = nil
	if reg.count > 1 {
		reg.count--
		return gone, false, nil
	}
	defer r.regions.remove(key)
	if !reg.published() {
		return gone, true, nil
	}
	r.table.remove(reg.pos)
	r.covered.remove(reg.span())
	if r.observer != nil {
		r.observer.Withdrawn(reg.pos)
	}
	return newWithdrawn([]extent{reg.span().extent}, r.covered), true, nil
}

func (r *registry) translate(key Key, addr uintptr) (uint64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reg := r.regions.find(key)
	if reg == nil {
		return 0, ErrUnknownKey
	}
	off := uint64(addr) - uint64(reg.lo)
	if addr < reg.lo || (off >= reg.size && off != 0) {
		return 0, fmt.Errorf("address %#x is outside the region of the key (%d bytes at %#x)", addr, reg.size, reg.lo)
	}
	if reg.pos == 0 {
		if err := r.publish(reg); err != nil {
			return 0, err
		}
	}
	return reg.pos + off, nil
}

// publish gives the region its positions, congruent to its address modulo a
// page, so that alignment of a global address and of the memory agree. Starter memory and heap have
// positions, by which peers have mapped them.
func (r *registry) publish(reg *region) error {
	if pos, ok := r.position(reg.lo, reg.size); ok {
		reg.pos, reg.own = pos, true
		if r.last == reg {
			r.last = nil
		}
		return nil
	}
	inPage := uint64(reg.lo) % PageSize
	need := roundUp(inPage+reg.size, PageSize) + PageSize
	at, ok := r.table.gap(r.nextPos, need)
	if !ok {
		if at, ok = r.table.gap(UserBase, need); !ok {
			return fmt.Errorf("no room for %d bytes among the registered regions", reg.size)
		}
	}
	pos := at + inPage
	if err := r.table.insert(entry{pos: pos, size: reg.size, addr: uint64(reg.lo)}); err != nil {
		return err
	}
	reg.pos = pos
	r.covered.add(reg.span())
	if r.observer != nil {
		r.observer.Published(pos, reg.size, reg.lo)
	}
	r.nextPos = at + need
	if r.last == reg {
		r.last = nil
	}
	return nil
}

// reset takes back all registrations and returns the memory that was published.
func (r *registry) reset() Withdrawn {
	r.mu.Lock()
	defer r.mu.Unlock()
	var gone []extent
	r.regions.each(func(reg *region) {
		if !reg.published() {
			return
		}
		gone = append(gone, reg.span().extent)
		if r.observer != nil {
			r.observer.Withdrawn(reg.pos)
		}
	})
	r.regions.clear()
	r.last = nil
	r.table.clear()
	r.covered.clear()
	return newWithdrawn(gone, r.covered)
}
