package grid

import (
	"fmt"
	"slices"
)

// Selection is the places that an operation is about, by the ranks that hold them. The entries
// of the program's buffers belong to the places in the order in which it has named them.
type Selection struct {
	N     int // entries
	Parts []Part
}

// Part is the part of a selection that one rank holds.
type Part struct {
	Rank int
	N    int // places
	Runs []Run
}

// Run is consecutive indices of a block that belong to consecutive entries.
type Run struct{ Index, Entry, N int }

// add adds the places from index on.
func (p *Part) add(index, entry, n int) {
	p.N += n
	if last := len(p.Runs) - 1; last >= 0 {
		if r := &p.Runs[last]; r.Index+r.N == index && r.Entry+r.N == entry {
			r.N += n
			return
		}
	}
	p.Runs = append(p.Runs, Run{index, entry, n})
}

// Section returns the places of a section that Check accepts, with entries in C order.
func (l *Layout) Section(s Section) Selection {
	if s.Empty() {
		return Selection{}
	}
	sel := Selection{N: s.Places()}
	first, last := make([]int, len(l.dims)), make([]int, len(l.dims))
	for d := range l.dims {
		first[d], last[d] = l.blockOf(d, s.Lo[d]), l.blockOf(d, s.Hi[d])
	}
	c := Section{first, last}.cursor()
	for ok := true; ok; ok = c.next() {
		if block, rank := l.blockAt(c.at); !block.Empty() {
			sel.Parts = append(sel.Parts, part(rank, block, s))
		}
	}
	return sel
}

// blockAt returns the block at coordinates of the grid, and the rank that holds it.
func (l *Layout) blockAt(at []int) (block Section, rank int) {
	block = Section{make([]int, len(at)), make([]int, len(at))}
	for d, b := range at {
		block.Lo[d], block.Hi[d] = l.span(d, b)
		rank = rank*len(l.starts[d]) + b
	}
	return block, rank
}

// part returns the part of a section that the rank with a block holds. It holds some of its
// places.
func part(rank int, block, s Section) Part {
	p := Part{Rank: rank}
	last := len(s.Lo) - 1
	rows := Section{make([]int, last+1), make([]int, last+1)}
	for d := range s.Lo {
		rows.Lo[d], rows.Hi[d] = max(s.Lo[d], block.Lo[d]), min(s.Hi[d], block.Hi[d])
	}
	n := rows.Extent(last)
	rows.Hi[last] = rows.Lo[last] // a cursor that names the first place of each row
	c := rows.cursor()
	for ok := true; ok; ok = c.next() {
		p.add(block.index(c.at), s.index(c.at), n)
	}
	return p
}

// cursor goes through the places of a section in C order.
type cursor struct {
	s  Section
	at []int
}

// cursor returns a cursor at the first place of a section that is not empty.
func (s Section) cursor() *cursor { return &cursor{s, slices.Clone(s.Lo)} }

// next goes to the next place, or returns false if there is none.
func (c *cursor) next() bool {
	for d := len(c.at) - 1; d >= 0; d-- {
		if c.at[d] < c.s.Hi[d] {
			c.at[d]++
			return true
		}
		c.at[d] = c.s.Lo[d]
	}
	return false
}

// List returns places in the order of a list, in which they may repeat. at returns each of n
// subscripts; List keeps none. Fails with ErrBounds.
func (l *Layout) List(n int, at func(i int) []int) (Selection, error) {
	sel := Selection{N: n}
	parts := make(map[int]int) // where the part of each rank is
	k := -1                    // where that of the entry before is
	for i := range n {
		place := at(i)
		if !l.Contains(place) {
			return Selection{}, fmt.Errorf("%w: place %v of dimensions %v", ErrBounds, place, l.dims)
		}
		rank, index := l.Find(place)
		if k < 0 || sel.Parts[k].Rank != rank {
			found := false
			if k, found = parts[rank]; !found {
				k = len(sel.Parts)
				parts[rank] = k
				sel.Parts = append(sel.Parts, Part{Rank: rank})
			}
		}
		sel.Parts[k].add(index, i, 1)
	}
	return sel, nil
}
