package mutex

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/goacp/goacp/internal/armci/memory"
	"github.com/goacp/goacp/internal/armci/transfer"
	"github.com/goacp/goacp/internal/armci/world"
	"github.com/goacp/goacp/internal/fabric"
)

// Mutexes makes the sets of mutexes of one world.
type Mutexes struct {
	engine  *transfer.Engine
	world   *world.World
	local   *memory.Local
	waiters *Waiters
}

// New returns the Mutexes of a world.
func New(e *transfer.Engine, w *world.World, l *memory.Local, waiters *Waiters) *Mutexes {
	return &Mutexes{e, w, l, waiters}
}

// Set is a set of mutexes, of which each member of a group holds some. Its methods may be called by
// several goroutines at once, apart from Destroy.
type Set struct {
	of     *Mutexes
	number uint32
	group  memory.Members
	counts map[int]int     // by process: mutexes that it holds
	words  map[int]uintptr // by process: address of the first word
}

// wordBytes is the size of a mutex.
const wordBytes = 8

// offerBytes is the length of what each member tells the others: number of the set, mutexes or
// why it has none, and address of the words.
const offerBytes = 4 + 4 + 8

// maxSets is how many sets a process makes at most: a notice has 24 bits for the number of one.
const maxSets = 1<<24 - 1

// Create makes a set, of which this process holds count mutexes, together with all members of a
// group. Collective. Blocks until all have called it. Fails on all members with the reason of one on
// which it fails: world.ErrMemory, also if there have been too many sets, or world.ErrCount.
func (m *Mutexes) Create(group memory.Members, count int) (*Set, error) {
	var addr uintptr
	var failed error
	n := int32(count)
	switch {
	case count < 0 || int64(count) > math.MaxInt32:
		failed = fmt.Errorf("%w: %d mutexes", world.ErrCount, count)
	case count > 0:
		addr, failed = m.local.Alloc(uint64(count) * wordBytes)
	}
	if failed != nil {
		n = int32(world.Code(failed))
	}
	own := binary.LittleEndian.AppendUint32(nil, m.waiters.propose())
	own = binary.LittleEndian.AppendUint32(own, uint32(n))
	all, err := group.Exchange(binary.LittleEndian.AppendUint64(own, uint64(addr)))
	if err != nil {
		return nil, err
	}
	s := &Set{of: m, group: group, counts: make(map[int]int), words: make(map[int]uintptr)}
	for rank, proc := range group.Procs() {
		blob := all[rank*offerBytes:]
		s.number = max(s.number, binary.LittleEndian.Uint32(blob))
		n := int32(binary.LittleEndian.Uint32(blob[4:]))
		if n < 0 && failed == nil {
			failed = fmt.Errorf("%w: of the mutexes of process %d", world.OfCode(int(n)), proc)
		}
		s.counts[proc], s.words[proc] = int(n), uintptr(binary.LittleEndian.Uint64(blob[8:]))
	}
	if s.number > maxSets && failed == nil {
		failed = fmt.Errorf("%w: for more than %d sets of mutexes", world.ErrMemory, maxSets)
	}
	if failed != nil {
		if addr != 0 {
			_ = m.local.Free(addr) // it has just been allocated
		}
		return nil, failed
	}
	m.waiters.agree(s.number)
	return s, nil
}

// propose returns the number that a new set may have in this process.
func (w *Waiters) propose() uint32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sets + 1
}

// agree notes the number of a new set.
func (w *Waiters) agree(set uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sets = max(w.sets, set)
}

// Destroy frees the set when all members have called it. Collective. Fails with world.ErrState if a
// mutex of this process is locked, and then frees nothing here.
func (s *Set) Destroy() error {
	if err := s.group.Barrier(); err != nil {
		return err
	}
	self := s.of.world.Self()
	for i := range s.counts[self] {
		old, err := s.modify(name{s.number, uint32(self), uint32(i)}, fabric.Atomic{Op: fabric.OpAdd, Width: wordBytes})
		if err != nil {
			return err
		}
		if old != 0 {
			return fmt.Errorf("%w: process %d has or waits for mutex %d of process %d", world.ErrState, old-1, i, self)
		}
	}
	s.of.waiters.forgetSet(s.number)
	if addr := s.words[self]; addr != 0 {
		return s.of.local.Free(addr)
	}
	return nil
}

// name returns the name of a mutex. Fails with world.ErrProc and world.ErrLevels.
func (s *Set) name(index, proc int) (name, error) {
	n, ok := s.counts[proc]
	if !ok {
		return name{}, fmt.Errorf("%w: process %d holds no mutexes", world.ErrProc, proc)
	}
	if index < 0 || index >= n {
		return name{}, fmt.Errorf("%w: mutex %d of the %d of process %d", world.ErrLevels, index, n, proc)
	}
	return name{s.number, uint32(proc), uint32(index)}, nil
}

// modify carries out an atomic on the word of a mutex.
func (s *Set) modify(n name, a fabric.Atomic) (uint64, error) {
	addr := s.words[int(n.proc)] + uintptr(n.index)*wordBytes
	return s.of.engine.Modify(int(n.proc), addr, a)
}

// Lock waits until a mutex of a process is free and takes it: first come, first served. thread names
// the caller, for the check whether it holds the mutex already; 0 stands for any. Fails with
// world.ErrState if it does.
func (s *Set) Lock(index, proc int, thread uint64) error {
	n, err := s.name(index, proc)
	if err != nil {
		return err
	}
	w := s.of.waiters
	state, err := w.enter(n, thread)
	if err != nil {
		return err
	}
	before, err := s.modify(n, fabric.Atomic{Op: fabric.OpSwap, Width: wordBytes, Operand: s.self()})
	if err != nil {
		return err
	}
	if before != 0 {
		if err := s.queue(n, int(before-1)); err != nil {
			return err
		}
	}
	w.hold(state, thread)
	return nil
}

// self is how the word of a mutex names this process.
func (s *Set) self() uint64 { return uint64(s.of.world.Self()) + 1 }

// queue waits behind another process until that one grants the mutex.
func (s *Set) queue(n name, before int) error {
	if err := s.of.world.Check(before); err != nil {
		return err
	}
	w := s.of.waiters
	if err := w.process.Notify(s.of.world.Member(before), w.queued, n.set, n.value()); err != nil {
		return err
	}
	return w.await(n, func(s *state) bool { return s.granted })
}

// TryLock takes a mutex if it is free, and reports whether it was. It does not wait for another
// process to unlock it.
func (s *Set) TryLock(index, proc int, thread uint64) (bool, error) {
	n, err := s.name(index, proc)
	if err != nil {
		return false, err
	}
	w := s.of.waiters
	state := w.tryEnter(n)
	if state == nil {
		return false, nil
	}
	before, err := s.modify(n, fabric.Atomic{Op: fabric.OpCas, Width: wordBytes, Operand: s.self()})
	if err != nil || before != 0 {
		w.leave(state)
		return false, err
	}
	w.hold(state, thread)
	return true, nil
}

// Unlock makes all stores of this process visible and passes a mutex on. Fails with world.ErrState
// if the caller does not hold it.
func (s *Set) Unlock(index, proc int, thread uint64) error {
	n, err := s.name(index, proc)
	if err != nil {
		return err
	}
	w := s.of.waiters
	state, err := w.check(n, thread)
	if err != nil {
		return err
	}
	if err := s.of.engine.AllFence(); err != nil {
		return err
	}
	last, err := s.modify(n, fabric.Atomic{Op: fabric.OpCas, Width: wordBytes, Compare: s.self()})
	if err != nil {
		return err
	}
	if last != s.self() {
		next, err := w.successor(n)
		if err != nil {
			return err
		}
		if err := w.process.Notify(next, w.grants, n.set, n.value()); err != nil {
			return err
		}
	}
	w.leave(state)
	return nil
}
