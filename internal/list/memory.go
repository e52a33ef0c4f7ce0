package list

import (
	"errors"
	"slices"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
)

// Memory is what an operation may touch. It is for one operation of one goroutine.
type Memory struct {
	Arenas Arenas
	Agents Agents // nil if the operation must do without

	// The heaps that were used last. Most operations go through that of the list and that
	// of one element, and asking Arenas for each word costs more than the word.
	recent [2]rankArena
}

// rankArena is the heap of a rank; nil stands for no rank.
type rankArena struct {
	rank  uint64
	arena *arena.Arena
}

// Arenas are the heaps that this process reaches by loads and stores.
type Arenas interface {
	// ArenaOf returns the heap of a rank. Fails with am.ErrElsewhere, and with
	// arena.ErrBadAddress if there is no such rank.
	ArenaOf(rank uint64) (*arena.Arena, error)
}

// Agents do what this process cannot do itself.
type Agents interface {
	// Exec carries out an operation of this package at a rank.
	Exec(rank uint64, c *am.Call) (am.Result, error)
	// Read copies the bytes at ga to b.
	Read(b []byte, ga uint64) error
}

// arenaOf returns the heap of a rank. Errors as of Arenas.
func (m *Memory) arenaOf(rank uint64) (*arena.Arena, error) {
	for i := range m.recent {
		if r := &m.recent[i]; r.rank == rank && r.arena != nil {
			return r.arena, nil
		}
	}
	a, err := m.Arenas.ArenaOf(rank)
	if err == nil {
		m.recent = [...]rankArena{{rank, a}, m.recent[0]}
	}
	return a, err
}

// needsAgent reports whether err says that something is elsewhere, and an agent may help.
func (m *Memory) needsAgent(err error) bool {
	return m.Agents != nil && errors.Is(err, am.ErrElsewhere)
}

// near returns the T at ga if it is mapped.
func near[T any](m *Memory, ga uint64) (*T, error) {
	a, err := m.arenaOf(rankOf(ga))
	if err != nil {
		return nil, err
	}
	p, err := arena.At[T](a, ga)
	if err != nil {
		return nil, m.refused(ga, err)
	}
	return p, nil
}

// refused returns why there is nothing at ga. The heap may have grown since Arenas was asked
// for it, beyond what this process has address space for; then Arenas says so.
func (m *Memory) refused(ga uint64, err error) error {
	m.recent = [2]rankArena{}
	if _, gone := m.Arenas.ArenaOf(rankOf(ga)); gone != nil {
		return gone
	}
	return err
}

// nearValue returns the value of an element if it is mapped.
func (m *Memory) nearValue(ga, n uint64) ([]byte, error) {
	a, err := m.arenaOf(rankOf(ga))
	if err != nil {
		return nil, err
	}
	b, err := a.Bytes(ga+HeadSize, n)
	if err != nil {
		return nil, m.refused(ga, err)
	}
	return b, nil
}

// block returns what is at ga, a control block or the beginning of an element.
func (m *Memory) block(ga uint64) (block, error) {
	p, err := near[block](m, ga)
	if err == nil {
		return *p, nil
	}
	if m.needsAgent(err) {
		return m.farBlock(ga)
	}
	return block{}, err
}

// node returns the element at ga. Fails with am.ErrBadIterator if there is a list.
func (m *Memory) node(ga uint64) (node, error) {
	b, err := m.block(ga)
	if err == nil && b.mark == markOf(ga) {
		err = broken(ga)
	}
	return b.node, err
}

// open returns the list at ga. Fails with arena.ErrBadAddress if there is none.
func (m *Memory) open(ga uint64) (ring, error) {
	b, err := m.block(ga)
	if err == nil && b.mark != markOf(ga) {
		err = noList(ga)
	}
	return ring{m: m, ga: ga, node: b.node}, err
}

// write is a word to be stored.
type write struct{ at, word uint64 }

// apply makes the changes of an operation, or none if one of them is impossible.
func (m *Memory) apply(changes []write) error {
	far := false
	for _, w := range changes {
		if _, err := near[uint64](m, w.at); m.needsAgent(err) {
			far = true
		} else if err != nil {
			return err
		}
	}
	for _, w := range changes {
		if p, err := near[uint64](m, w.at); err == nil {
			*p = w.word
		}
	}
	if far {
		return m.applyFar(slices.Clone(changes))
	}
	return nil
}

// create makes an element on a rank, with the links of n. The value is only read.
func (m *Memory) create(rank uint64, n node, value []byte) (uint64, error) {
	a, err := m.arenaOf(rank)
	if m.needsAgent(err) {
		return m.createFar(rank, n, slices.Clone(value))
	}
	if err != nil {
		return 0, err
	}
	return createAt(a, n, value)
}

func createAt(a *arena.Arena, n node, value []byte) (uint64, error) {
	n.n = uint64(len(value))
	ga, err := a.Alloc(HeadSize + n.n)
	if err != nil {
		return 0, err
	}
	p, err := arena.At[node](a, ga)
	if err != nil {
		return 0, err
	}
	*p = n
	b, err := a.Bytes(ga+HeadSize, n.n)
	copy(b, value)
	return ga, err
}

// free gives blocks back, all that can be.
func (m *Memory) free(blocks ...uint64) error {
	var failed error
	far := false
	for _, ga := range blocks {
		a, err := m.arenaOf(rankOf(ga))
		switch {
		case err == nil:
			err = a.Free(ga)
		case m.needsAgent(err):
			far, err = true, nil
		}
		if err != nil {
			failed = err
		}
	}
	if far {
		return errors.Join(failed, m.freeFar(slices.Clone(blocks)))
	}
	return failed
}

// copyOf makes a copy of each element on its rank, without links, or none if one fails.
func (m *Memory) copyOf(elements []Element) ([]Element, error) {
	copies := make([]Element, len(elements))
	var far []int
	for i, e := range elements {
		a, err := m.arenaOf(rankOf(e.GA))
		if m.needsAgent(err) {
			far = append(far, i)
			continue
		}
		if err == nil {
			copies[i], err = copyAt(a, e)
		}
		if err != nil {
			return nil, errors.Join(err, m.discard(copies))
		}
	}
	if len(far) > 0 {
		if err := m.copyFar(copies, elements, far); err != nil {
			return nil, errors.Join(err, m.discard(copies))
		}
	}
	return copies, nil
}

func copyAt(a *arena.Arena, e Element) (Element, error) {
	value, err := a.Bytes(e.GA+HeadSize, e.Size)
	if err != nil {
		return Element{}, err
	}
	ga, err := createAt(a, node{}, value)
	return Element{GA: ga, Size: e.Size}, err
}

// discard frees those of the elements that there are.
func (m *Memory) discard(elements []Element) error {
	var blocks []uint64
	for _, e := range elements {
		if e.GA != 0 {
			blocks = append(blocks, e.GA)
		}
	}
	return m.free(blocks...)
}
