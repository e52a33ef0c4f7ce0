//go:build mpi

package rma

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/debuglog"
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

// sound reports whether r, the answer of an owner, can be the region around pos: its positions
// do not wrap, MPI can express its addresses, and it is in one of so many windows or in none.
func (r Region) sound(pos uint64, windows int) bool {
	return r.Size <= math.MaxUint64-r.Pos && r.Addr <= math.MaxInt64 && r.Size <= math.MaxInt64-r.Addr &&
		r.Window >= -1 && r.Window < windows && r.holds(pos, 0)
}

// attached is the registered memory of this member.
type attached struct {
	mu       sync.Mutex
	windows  []mpi.Win
	capacity capacity
	pieces   [][]piece         // by window, what is attached to it
	regions  map[uint64]Region // those in windows, by position
	askers   []int             // members that have asked for a region, and may remember it
}

// piece is a range of memory attached to a window, and how many regions lie in it.
type piece struct {
	addr, size uint64
	users      int
}

// capacity is how many pieces the windows for registered memory can hold.
type capacity struct {
	windows int  // how many there are
	pieces  int  // in each
	topped  bool // the first piece of each window is the end of the stack
}

// capacityOf returns the capacity of windows of an MPI library. Open MPI over UCX accepts one piece more,
// but fails after that piece was detached. Version 4 also fails if a piece is above the first
// one; so the first piece is at the highest address of all, the end of the stack. Version 5 does
// not need that, and with that piece 5.0.7 would hang over tcp when the window is freed.
func capacityOf(library mpi.Library) capacity {
	if library.Name == "Open MPI" && library.Major() >= 5 {
		return capacity{windows: 4, pieces: 47}
	}
	return capacity{windows: 4, pieces: 31, topped: true}
}

// free returns how many pieces regions can have.
func (r capacity) free() int {
	if r.topped {
		return r.windows * (r.pieces - 1)
	}
	return r.windows * r.pieces
}

// slack is how many bytes behind a region are attached, too. Open MPI over UCX does not find the
// last bytes of what is attached.
const slack = 1

// init attaches the last bytes of the stack to every window, if capacity is topped.
func (a *attached) init(windows []mpi.Win, capacity capacity) error {
	a.windows, a.capacity, a.pieces, a.regions = windows, capacity, make([][]piece, len(windows)), make(map[uint64]Region)
	if !capacity.topped {
		return nil
	}
	top, err := stackEnd()
	if err != nil {
		return err
	}
	for w := range windows {
		p := piece{addr: top - topSize, size: topSize, users: 1}
		if err := windows[w].Attach(bytesAt(p.addr, p.size)); err != nil {
			return fmt.Errorf("attaching the end of the stack: %w", err)
		}
		a.pieces[w] = append(a.pieces[w], p)
	}
	return nil
}

const topSize = 8

// stackEnd returns the address behind the stack of the main thread.
func stackEnd() (uint64, error) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(strings.TrimSpace(line), "[stack]") {
			continue
		}
		span, _, _ := strings.Cut(line, " ")
		_, end, _ := strings.Cut(span, "-")
		return strconv.ParseUint(end, 16, 64)
	}
	return 0, errors.New("/proc/self/maps shows no stack")
}

// add attaches a region, if a window has room for it and MPI takes it.
func (a *attached) add(r Region) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Window = a.attach(r.Addr, r.Size); r.Window >= 0 {
		a.regions[r.Pos] = r
	}
}

// attach opens memory in a window and returns which, or -1. Pieces of one window must
// not overlap: memory inside a piece is there already, other overlaps go to another
// window.
func (a *attached) attach(addr, size uint64) int {
	if size == 0 {
		return -1
	}
	window := -1
	for w, pieces := range a.pieces {
		free := len(pieces) < a.capacity.pieces && (!a.capacity.topped || addr < pieces[0].addr)
		for i := range pieces {
			p := &pieces[i]
			if addr >= p.addr && addr+size <= p.addr+p.size {
				p.users++
				return w
			}
			if addr < p.addr+p.size && p.addr < addr+size {
				free = false
			}
		}
		if free && window < 0 {
			window = w
		}
	}
	if window < 0 {
		debuglog.RMA.Printf("%d bytes at %#x are in no window: all %d are full or have memory that overlaps; the agent serves them", size, addr, len(a.windows))
		return -1
	}
	if err := a.windows[window].Attach(bytesAt(addr, size+slack)); err != nil {
		debuglog.RMA.Printf("%d bytes at %#x are in no window: %v; the agent serves them", size, addr, err)
		return -1
	}
	debuglog.RMA.Printf("%d bytes at %#x are in window %d, piece %d of %d", size, addr, window, len(a.pieces[window])+1, a.capacity.pieces)
	a.pieces[window] = append(a.pieces[window], piece{addr, size, 1})
	return window
}

// remove removes the region at pos. Its piece stays attached until detach.
func (a *attached) remove(pos uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, found := a.regions[pos]
	if !found {
		return
	}
	delete(a.regions, pos)
	pieces := a.pieces[r.Window]
	i := slices.IndexFunc(pieces, func(p piece) bool { return r.Addr >= p.addr && r.Addr+r.Size <= p.addr+p.size })
	pieces[i].users--
}

// takeAskers returns the members that may remember regions, and empties the list. Members that
// ask later do not learn regions that were removed before.
func (a *attached) takeAskers() []int {
	a.mu.Lock()
	defer a.mu.Unlock()
	askers := a.askers
	a.askers = nil
	return askers
}

// detach detaches the pieces in which no region lies any more. The caller has the lock of calls.
func (a *attached) detach() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for w := range a.pieces {
		a.pieces[w] = slices.DeleteFunc(a.pieces[w], func(p piece) bool {
			if p.users == 0 {
				// If it fails, MPI detaches the piece when the window is freed.
				_ = a.windows[w].Detach(bytesAt(p.addr, p.size))
			}
			return p.users == 0
		})
	}
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
	clear(a.regions)
	a.askers = nil
	return err
}

// ask records that a member may remember what it learns from now on.
func (a *attached) ask(member int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.askers, member) {
		a.askers = append(a.askers, member)
	}
}

// window returns the window that has the region at pos, or -1.
func (a *attached) window(pos uint64) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, ok := a.regions[pos]; ok {
		return r.Window
	}
	return -1
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

// bytesAt returns memory of this process by its address: C memory, a mapping or pinned Go memory.
func bytesAt(addr, size uint64) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size)
}

// Published implements segment.Observer: it opens registered memory of this member to
// the others. Local. May wait for an operation of another thread. If the run ends
// meanwhile, no window has the memory.
func (t *Transport) Published(pos, size uint64, addr uintptr) {
	r := Region{Pos: pos, Size: size, Addr: uint64(addr)}
	if t.calls.lockUnless(t.cfg.Over) != nil {
		return
	}
	defer t.calls.Unlock()
	t.attached.add(r)
}

// Withdrawn implements segment.Observer: no rank finds the memory any more. Ranks that have
// found it before may use it until Withdraw. Local. Does not block.
func (t *Transport) Withdrawn(pos uint64) {
	t.attached.remove(pos)
	t.known.forget(t.cfg.Self)
}

// Region returns the registered memory of this member around position pos: the answer
// to the Ask of member asker. Fails with a *fabric.RangeError. Does not wait for other members.
func (t *Transport) Region(asker int, pos uint64) (Region, error) {
	t.attached.ask(asker) // before it looks: after takeAskers it finds nothing that was removed
	first, size, addr, ok := t.cfg.Registered(pos)
	if !ok {
		return Region{}, &fabric.RangeError{Pos: pos}
	}
	return Region{Pos: first, Size: size, Addr: addr, Window: t.attached.window(first)}, nil
}
