//go:build mpi

package rma

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/mpi"
)

// Region is registered memory of a member.
type Region struct {
	Pos    uint64 // of the first byte
	Size   uint64 // bytes
	Addr   uint64 // of the first byte in its process
	Window int    // dynamic window that it is attached to; -1 if none has room
}

func (r Region) holds(pos, n uint64) bool {
	off := pos - r.Pos
	return off <= r.Size && n <= r.Size-off
}

// attached is the registered memory of this member.
type attached struct {
	mu      sync.Mutex
	windows []mpi.Win
	pieces  [][]piece // by window, what is attached to it
	regions []Region  // in order of position
	askers  []int     // members that have been told about one
}

// piece is a range of memory attached to a window, and how many regions lie in it.
type piece struct {
	addr, size uint64
	users      int
}

// piecesMax is how many pieces a window takes: what Open MPI over UCX allows.
const piecesMax = 32

func (a *attached) init(windows []mpi.Win) {
	a.windows, a.pieces = windows, make([][]piece, len(windows))
}

// add attaches a region, if a window has room for it.
func (a *attached) add(r Region) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	if r.Window, err = a.attach(r.Addr, r.Size); err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(a.regions, r, func(x, y Region) int { return cmp.Compare(x.Pos, y.Pos) })
	a.regions = slices.Insert(a.regions, at, r)
	return nil
}

// attach opens memory in a window and returns which. Pieces of one window must not
// overlap: memory inside a piece is there already, other overlaps go to another window.
func (a *attached) attach(addr, size uint64) (int, error) {
	if size == 0 {
		return -1, nil
	}
	room := -1
	for w, pieces := range a.pieces {
		free := len(pieces) < piecesMax
		for i := range pieces {
			p := &pieces[i]
			if addr >= p.addr && addr+size <= p.addr+p.size {
				p.users++
				return w, nil
			}
			if addr < p.addr+p.size && p.addr < addr+size {
				free = false
			}
		}
		if free && room < 0 {
			room = w
		}
	}
	if room < 0 {
		return -1, nil
	}
	if err := a.windows[room].Attach(bytesAt(addr, size)); err != nil {
		return -1, err
	}
	a.pieces[room] = append(a.pieces[room], piece{addr, size, 1})
	return room, nil
}

// remove detaches the region at pos and returns who may remember regions.
func (a *attached) remove(pos uint64) (askers []int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, found := slices.BinarySearchFunc(a.regions, pos, func(r Region, pos uint64) int { return cmp.Compare(r.Pos, pos) })
	if !found {
		return nil, nil
	}
	r := a.regions[at]
	a.regions = slices.Delete(a.regions, at, at+1)
	askers, a.askers = a.askers, nil
	if r.Window < 0 {
		return askers, nil
	}
	pieces := a.pieces[r.Window]
	i := slices.IndexFunc(pieces, func(p piece) bool { return r.Addr >= p.addr && r.Addr+r.Size <= p.addr+p.size })
	if pieces[i].users--; pieces[i].users > 0 {
		return askers, nil
	}
	p := pieces[i]
	a.pieces[r.Window] = slices.Delete(pieces, i, i+1)
	return askers, a.windows[r.Window].Detach(bytesAt(p.addr, p.size))
}

// clear detaches everything.
func (a *attached) clear() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	for w, pieces := range a.pieces {
		for _, p := range pieces {
			err = errors.Join(err, a.windows[w].Detach(bytesAt(p.addr, p.size)))
		}
		a.pieces[w] = nil
	}
	a.regions, a.askers = nil, nil
	return err
}

// find returns the region around pos to a member, which may remember it.
func (a *attached) find(asker int, pos uint64) (Region, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, err := around(a.regions, pos)
	if err == nil && !slices.Contains(a.askers, asker) {
		a.askers = append(a.askers, asker)
	}
	return r, err
}

// around returns the region of a list, in order of position, that holds pos.
func around(list []Region, pos uint64) (Region, error) {
	at, found := slices.BinarySearchFunc(list, pos, func(r Region, pos uint64) int { return cmp.Compare(r.Pos, pos) })
	if !found {
		at--
	}
	if at < 0 || !list[at].holds(pos, 0) {
		return Region{}, &fabric.RangeError{Pos: pos}
	}
	return list[at], nil
}

// bytesAt is memory of this process: C memory, a mapping or pinned Go memory.
func bytesAt(addr, size uint64) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size)
}

// Attach opens registered memory of this member to the others: size bytes at addr that
// have the positions from pos on. Local. May block.
func (f *Fabric) Attach(pos, size uint64, addr uintptr) error {
	return f.attached.add(Region{Pos: pos, Size: size, Addr: uint64(addr)})
}

// Detach closes the memory that was attached with position pos, and lets the others
// forget it: an MPI may not notice that memory is not attached any more. Local. May
// block.
func (f *Fabric) Detach(pos uint64) error {
	askers, err := f.attached.remove(pos)
	for _, member := range askers {
		if member != f.cfg.Self {
			f.cfg.Tell(member)
		}
	}
	return err
}

// Forget makes this process forget where registered memory of member lies. Does not
// block for others.
func (f *Fabric) Forget(member int) { f.known.forget(member) }

// DetachAll closes all registered memory, and forgets what was known about that of
// others. Local. May block.
func (f *Fabric) DetachAll() error {
	f.known.forgetAll()
	return f.attached.clear()
}

// Region returns the registered memory of this member around position pos: the answer
// to the Ask of member asker. Fails with a *fabric.RangeError. Does not block for
// others.
func (f *Fabric) Region(asker int, pos uint64) (Region, error) { return f.attached.find(asker, pos) }
