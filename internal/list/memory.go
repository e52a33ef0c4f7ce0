package list

import (
	"errors"
	"slices"

	"github.com/goacp/goacp/internal/site"
)

// Memory is what an operation may touch. It is for one operation of one goroutine.
type Memory struct {
	Sites  Sites
	Agents Agents // nil if the operation must do without

	// The heaps that were used last. Most operations go through that of the list and that
	// of one element, and asking Sites for each word costs more than the word.
	recent [2]rankSite
}

// rankSite is the heap of a rank; nil stands for no rank.
type rankSite struct {
	rank uint64
	site *site.Site
}

// Sites are the heaps that this process reaches by loads and stores.
type Sites interface {
	// Site returns the heap of a rank. Fails with site.ErrElsewhere, and with
	// site.ErrBadAddress if there is no such rank.
	Site(rank uint64) (*site.Site, error)
}

// Agents do what this process cannot do itself.
type Agents interface {
	// Exec carries out an operation of this package at a rank.
	Exec(rank uint64, c *site.Call) (site.Result, error)
	// Read copies the bytes at ga to b.
	Read(b []byte, ga uint64) error
}

// siteOf returns the heap of a rank. Errors as of Sites.
func (m *Memory) siteOf(rank uint64) (*site.Site, error) {
	for i := range m.recent {
		if r := &m.recent[i]; r.rank == rank && r.site != nil {
			return r.site, nil
		}
	}
	s, err := m.Sites.Site(rank)
	if err == nil {
		m.recent = [...]rankSite{{rank, s}, m.recent[0]}
	}
	return s, err
}

// needsAgent reports whether err says that something is elsewhere, and an agent may help.
func (m *Memory) needsAgent(err error) bool {
	return m.Agents != nil && errors.Is(err, site.ErrElsewhere)
}

// near returns the T at ga if it is mapped.
func near[T any](m *Memory, ga uint64) (*T, error) {
	s, err := m.siteOf(rankOf(ga))
	if err != nil {
		return nil, err
	}
	p, err := site.At[T](s, ga)
	if err != nil {
		return nil, m.refused(ga, err)
	}
	return p, nil
}

// refused returns why there is nothing at ga. The heap may have grown since Sites was asked
// for it, beyond what this process has address space for; then Sites says so.
func (m *Memory) refused(ga uint64, err error) error {
	m.recent = [2]rankSite{}
	if _, gone := m.Sites.Site(rankOf(ga)); gone != nil {
		return gone
	}
	return err
}

// nearValue returns the value of an element if it is mapped.
func (m *Memory) nearValue(ga, n uint64) ([]byte, error) {
	s, err := m.siteOf(rankOf(ga))
	if err != nil {
		return nil, err
	}
	b, err := s.Bytes(ga+HeadSize, n)
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

// node returns the element at ga. Fails with site.ErrBadIterator if there is a list.
func (m *Memory) node(ga uint64) (node, error) {
	b, err := m.block(ga)
	if err == nil && b.mark == markOf(ga) {
		err = broken(ga)
	}
	return b.node, err
}

// open returns the list at ga. Fails with site.ErrBadAddress if there is none.
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
	s, err := m.siteOf(rank)
	if m.needsAgent(err) {
		return m.createFar(rank, n, slices.Clone(value))
	}
	if err != nil {
		return 0, err
	}
	return createAt(s, n, value)
}

func createAt(s *site.Site, n node, value []byte) (uint64, error) {
	n.n = uint64(len(value))
	ga, err := s.Alloc(HeadSize + n.n)
	if err != nil {
		return 0, err
	}
	p, err := site.At[node](s, ga)
	if err != nil {
		return 0, err
	}
	*p = n
	b, err := s.Bytes(ga+HeadSize, n.n)
	copy(b, value)
	return ga, err
}

// free gives blocks back, all that can be.
func (m *Memory) free(blocks ...uint64) error {
	var failed error
	far := false
	for _, ga := range blocks {
		s, err := m.siteOf(rankOf(ga))
		switch {
		case err == nil:
			err = s.Free(ga)
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
		s, err := m.siteOf(rankOf(e.GA))
		if m.needsAgent(err) {
			far = append(far, i)
			continue
		}
		if err == nil {
			copies[i], err = copyAt(s, e)
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

func copyAt(s *site.Site, e Element) (Element, error) {
	value, err := s.Bytes(e.GA+HeadSize, e.Size)
	if err != nil {
		return Element{}, err
	}
	ga, err := createAt(s, node{}, value)
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
