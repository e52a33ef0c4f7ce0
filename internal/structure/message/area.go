package message

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/structure/collarea"
)

// A team whose processes share memory makes a collective area. Then its barriers and reductions are no
// messages.

// areaAfter is how many barriers and reductions a team does by messages at first. A team that is
// made for one of them needs none.
const areaAfter = 3

// shared is the collective area of a team in this process.
type shared struct {
	team    *Team
	at      uint64         // the block of this process
	block   unsafe.Pointer // where it lies
	readers int            // steps in which other processes read in it
	closed  bool           // this process does not use the collective area any more
}

// area returns the collective area of a team, for a call of Barrier or Reduce, or nil if there is none. All
// processes of the team call it equally often.
func (h *Engine) area(t *Team) (*collarea.Area, error) {
	if t.area != nil || t.calls > areaAfter {
		return t.area, nil
	}
	if t.calls++; t.calls <= areaAfter || t.size() == 1 || !t.Near {
		return nil, nil
	}
	err := h.meet(t)
	return t.area, err
}

// together carries out a call of all processes of a team: near in its collective area, or far if there is none.
func (h *Engine) together(t *Team, near func(*collarea.Area) error, far func() error) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	b, err := h.area(t)
	switch {
	case err != nil:
		return err
	case b != nil:
		return near(b)
	}
	return far()
}

// meet makes the collective area of a team, unless one of its processes has no memory for it or does not reach
// that of others. Collective.
func (h *Engine) meet(t *Team) error {
	own := h.newBlock(t)
	blocks, err := h.Gather(t, binary.LittleEndian.AppendUint64(nil, own.at))
	if err != nil {
		return err
	}
	made, err := h.newArea(t, own, blocks)
	if err != nil { // messages need no collective area
		made = nil
	}
	mine := []byte{0}
	if made != nil {
		mine[0] = 1
	}
	all, err := h.Gather(t, mine)
	if err == nil && slices.Min(all) == 1 {
		h.enterArea(t, own, made)
		return nil
	}
	if made != nil {
		made.Discard()
	}
	if own.at != 0 { // nothing has read in it
		return errors.Join(err, h.cfg.Memory.Own().Free(own.at))
	}
	return err
}

// newBlock returns the block of this process for a new collective area. It has no address if there is no memory
// for one.
func (h *Engine) newBlock(t *Team) *shared {
	s := &shared{team: t}
	for _, step := range t.exchanges() {
		s.readers += len(step.to)
	}
	own, n := h.cfg.Memory.Own(), blockBytes(t)
	at, err := own.AllocZero(n)
	if err != nil {
		return s
	}
	b, err := own.Bytes(at, n)
	if err != nil {
		return s
	}
	s.at, s.block = at, unsafe.Pointer(unsafe.SliceData(b))
	return s
}

// blockBytes returns the bytes of the blocks of a team.
func blockBytes(t *Team) uint64 { return collarea.Size(bits.Len(uint(t.size() - 1))) }

// newArea returns the collective area of this process, and nil if there can be none. blocks are the addresses
// of the blocks of all processes, by rank.
func (h *Engine) newArea(t *Team, own *shared, blocks []byte) (*collarea.Area, error) {
	cfg := collarea.Config{Block: own.block, Budget: h.cfg.Budget, Over: h.alive}
	for _, s := range t.exchanges() {
		at, view := binary.LittleEndian.Uint64(blocks[8*s.from:]), h.cfg.Memory.HeapView(t.Members[s.from])
		if own.at == 0 || at == 0 || at%8 != 0 || view == nil {
			return nil, nil
		}
		b, err := view.Bytes(at, blockBytes(t))
		if err != nil {
			return nil, nil
		}
		cfg.Steps = append(cfg.Steps, collarea.Step{
			Number: s.level, Read: len(s.to) > 0, Theirs: unsafe.Pointer(unsafe.SliceData(b)), First: s.left,
		})
	}
	return collarea.New(cfg)
}

// enterArea gives a team the collective area that all of its processes have.
func (h *Engine) enterArea(t *Team, own *shared, b *collarea.Area) {
	t.area = b
	h.mu.Lock()
	h.freeBlocks()
	h.areas = append(h.areas, own)
	h.mu.Unlock()
	if t.Met != nil {
		t.Met(b)
	}
}

// CloseTeam ends the use of a team by this process.
func (h *Engine) CloseTeam(t *Team) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closeAreas(func(of *Team) bool { return of == t })
}

// closeAreas ends the use of the collective areas of some teams. The caller holds the lock.
func (h *Engine) closeAreas(of func(t *Team) bool) {
	for _, s := range h.areas {
		if !s.closed && of(s.team) {
			s.closed = true
			s.team.area.Close()
			s.team.area = nil
		}
	}
	h.freeBlocks()
}

// freeBlocks frees the blocks of closed collective areas in which no other process reads any more. The caller
// holds the lock.
func (h *Engine) freeBlocks() {
	h.areas = slices.DeleteFunc(h.areas, func(s *shared) bool {
		free := s.closed && collarea.Unread(s.block, s.readers)
		if free {
			_ = h.cfg.Memory.Own().Free(s.at) // if the heap is damaged there is nothing to free
		}
		return free
	})
}

// discardAreas forgets all collective areas. No process uses them any more. The caller holds the lock.
func (h *Engine) discardAreas() {
	for _, s := range h.areas {
		if !s.closed {
			s.team.area.Discard()
			s.team.area = nil
		}
	}
	h.areas = nil
}
