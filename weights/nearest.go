package weights

import (
	"fmt"
)

// coincident is the distance, in radians or in the unit of the plane, up to which points are at one place.
const coincident = 1e-13

// nearest returns the makers of rows for Nearest.
func (m *Matrix) nearest() (func() rowMaker, error) {
	k := max(m.Options.Neighbours, 1)
	if m.Options.Neighbours < 0 {
		return nil, fmt.Errorf("%w: %d neighbours", ErrOptions, m.Options.Neighbours)
	}
	points := m.points()
	return func() rowMaker {
		var found []near
		return func(row int, entries []Entry) ([]Entry, error) {
			found = points.nearest(m.To.centre(row), k, found)
			return m.byDistance(row, found, entries), nil
		}
	}, nil
}

// byDistance appends the entries of a row for points that are the nearest ones, ascending.
func (m *Matrix) byDistance(row int, found []near, entries []Entry) []Entry {
	if len(found) == 0 {
		return entries
	}
	s, at := m.To.surface(), m.To.centre(row)
	first := len(entries)
	sum := 0.0
	for _, f := range found {
		d := s.distance(at, m.From.centre(f.number))
		if d <= coincident {
			return append(entries[:first], Entry{row, f.number, 1})
		}
		entries, sum = append(entries, Entry{row, f.number, 1 / d}), sum+1/d
	}
	for i := first; i < len(entries); i++ {
		entries[i].Value /= sum
	}
	sortByColumn(entries[first:])
	return entries
}
