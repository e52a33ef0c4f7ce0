package weights

import (
	"slices"
)

// smallest is the part of a cell below which a common area is rounding.
const smallest = 1e-14

// cells are the cells of a grid.
type cells struct {
	parts [][]part
	areas []float64
	boxes []box

	rectangles []rectangle // nil: not all cells of both grids are rectangles
}

// cellsOf returns n cells of a grid, or an error if it has none, or if one of them cannot be a cell. at returns the number of a cell.
func cellsOf(g *Grid, n int, at func(i int) int) (*cells, error) {
	if g.Corners == 0 {
		return nil, g.errorf("its cells have no corners, which conservative weights need")
	}
	s := g.surface()
	c := &cells{parts: make([][]part, g.Len()), areas: make([]float64, g.Len()), boxes: make([]box, g.Len())}
	for k := range n {
		i := at(k)
		if !g.placed(i) {
			continue
		}
		p := g.cell(i)
		if len(p) < 3 {
			if x := g.CornerX[i*g.Corners : (i+1)*g.Corners]; s == sphere && g.valid(i) && slices.Max(x)-slices.Min(x) >= 360 {
				return nil, g.errorf("cell %d goes round the sphere, from longitude %v to %v; expected less than 180 degrees", i, slices.Min(x), slices.Max(x))
			}
			continue // a cell without area, such as some at the edge of a grid
		}
		if s == sphere {
			for k := range p {
				if p[k].dot(p[(k+1)%len(p)]) < -0.999999 {
					return nil, g.errorf("cell %d has an edge of 180 degrees", i)
				}
			}
		}
		c.parts[i], c.areas[i], c.boxes[i] = p.parts(s), s.area(p), s.around(p)
	}
	return c, nil
}

// conservative returns the makers of rows for Conservative. Their values are common areas.
func (m *Matrix) conservative() (func() rowMaker, error) {
	from, to, err := m.cells()
	if err != nil {
		return nil, err
	}
	m.FromArea, m.ToArea = from.areas, to.areas
	var items []item
	for i, b := range from.boxes {
		if m.From.valid(i) && from.areas[i] > 0 {
			items = append(items, item{b, i})
		}
	}
	found := newTree(items)
	return func() rowMaker {
		clip := &clipper{surface: m.To.surface()}
		return func(row int, entries []Entry) ([]Entry, error) {
			if !(to.areas[row] > 0) {
				return entries, nil
			}
			first := len(entries)
			found.visit(to.boxes[row], func(column int) {
				var common float64
				if to.rectangles != nil {
					common = from.rectangles[column].overlap(to.rectangles[row])
				} else {
					common = clip.overlap(from.parts[column], to.parts[row])
				}
				if common > smallest*min(from.areas[column], to.areas[row]) {
					entries = append(entries, Entry{row, column, common})
				}
			})
			sortByColumn(entries[first:])
			return entries, nil
		}
	}, nil
}

// cells returns the cells of the sending grid and of the rows.
func (m *Matrix) cells() (from, to *cells, err error) {
	if from, err = cellsOf(m.From, m.From.Len(), func(i int) int { return i }); err != nil {
		return nil, nil, err
	}
	n, rowAt := m.rows()
	if to, err = cellsOf(m.To, n, rowAt); err != nil {
		return nil, nil, err
	}
	if some := m.From.rectangles(); some != nil {
		if others := m.To.rectangles(); others != nil {
			from.setRectangles(some)
			to.setRectangles(others)
		}
	}
	return from, to, nil
}

// setAreas sets the areas of the cells.
func (m *Matrix) setAreas() error {
	from, to, err := m.cells()
	if err == nil {
		m.FromArea, m.ToArea = from.areas, to.areas
	}
	return err
}

// normalize makes weights of common areas, and the fractions of the cells.
func (m *Matrix) normalize() {
	m.FromFraction, m.ToFraction = make([]float64, m.From.Len()), make([]float64, m.To.Len())
	for _, e := range m.Entries {
		m.FromFraction[e.Column] += e.Value
		m.ToFraction[e.Row] += e.Value
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		if m.Options.Normalization == CellArea {
			e.Value /= m.ToArea[e.Row]
		} else {
			e.Value /= m.ToFraction[e.Row]
		}
	}
	for i, area := range m.FromArea {
		if area > 0 {
			m.FromFraction[i] /= area
		}
	}
	for i, area := range m.ToArea {
		if area > 0 {
			m.ToFraction[i] /= area
		}
	}
}
