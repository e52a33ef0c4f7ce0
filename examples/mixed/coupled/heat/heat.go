// Package heat is the physics of the coupled example, without MPI and without ACP:
// the twin of heat.h, where it is explained. Both compute every cell by the same
// operations in the same order, so models in C and in Go can be coupled and compared
// with the same serial run.
package heat

import (
	"fmt"
	"math"
)

// What all programs of the run agree on, as in heat.h.
const (
	OceanColumns = 50
	Refine       = 2 // fine cells of the atmosphere per cell of the ocean
	Steps        = 1000
	ReportEvery  = 100 // steps between two reports of the heat content
	Reports      = Steps/ReportEvery + 1

	timeStep = 2.0e-5
	exchange = 20.0 // heat through the interface per length, time and degree
)

// Medium is what is the same in all parts of one model.
type Medium struct {
	Name          string
	Columns, Rows int
	Capacity      float64 // heat per area and degree
	Diffusivity   float64 // area per time

	// Temperature in the beginning: T0 + TX·x + TXX·x² + TY·y.
	T0, TX, TXX, TY float64
}

// Ocean returns the medium below the interface.
func Ocean() Medium {
	return Medium{
		Name: "ocean", Columns: OceanColumns, Rows: OceanColumns / 2, Capacity: 4, Diffusivity: 0.1,
		T0: 12, TX: 8, TXX: -6, TY: -4,
	}
}

// Atmosphere returns the medium above the interface.
func Atmosphere() Medium {
	return Medium{
		Name: "atmosphere", Columns: Refine * OceanColumns, Rows: Refine * OceanColumns / 2, Capacity: 1, Diffusivity: 1,
		T0: 4, TX: -3, TXX: 5, TY: 2,
	}
}

// Span is a run of neighbouring columns of some grid.
type Span struct{ First, Count int }

// End returns the column after the last.
func (s Span) End() int { return s.First + s.Count }

// Share returns the columns of number out of size equal parts.
func Share(columns, number, size int) Span {
	first := columns * number / size
	return Span{first, columns*(number+1)/size - first}
}

// Overlap returns the columns that two spans of one grid have in common.
func Overlap(a, b Span) Span {
	first, end := max(a.First, b.First), min(a.End(), b.End())
	return Span{first, max(0, end-first)}
}

// NeedsOfOcean returns the fine columns above own columns of the ocean.
func NeedsOfOcean(own Span) Span { return Span{own.First * Refine, own.Count * Refine} }

// NeedsOfAtmosphere returns the coarse columns below own columns of the atmosphere.
// Two parts need the same ocean cell if their boundary lies above it.
func NeedsOfAtmosphere(own Span) Span {
	first := own.First / Refine
	return Span{first, (own.End()+Refine-1)/Refine - first}
}

// Part is one part of a medium: a run of its columns, with all their rows. A row has
// one ghost cell more at either end, which holds a copy of the neighbouring part's
// column or, at a wall, of the own one.
type Part struct {
	Medium Medium
	Own    Span

	cells  []float64 // both time levels, one after the other
	stride int       // cells of a row, with ghosts
	level  int       // which of the two is the current one
	flux   []float64 // heat through the interface into each surface cell
}

// NewPart makes the columns own of m at time 0. Fails if there is none.
func NewPart(m Medium, own Span) (*Part, error) {
	if own.Count < 1 {
		return nil, fmt.Errorf("%s: more processes than columns", m.Name)
	}
	p := &Part{Medium: m, Own: own, stride: own.Count + 2}
	p.cells = make([]float64, 2*m.Rows*p.stride)
	p.flux = make([]float64, own.Count)
	for j := range m.Rows {
		row := p.row(0, j)
		for i := range own.Count {
			x := (float64(own.First+i) + 0.5) / float64(m.Columns)
			y := (float64(j) + 0.5) / float64(m.Columns)
			row[1+i] = m.T0 + m.TX*x + m.TXX*x*x + m.TY*y
		}
	}
	return p, nil
}

// row returns row j of a time level, with ghosts.
func (p *Part) row(level, j int) []float64 {
	start := (level*p.Medium.Rows + j) * p.stride
	return p.cells[start : start+p.stride]
}

// Now returns the current time level: all rows, with ghosts.
func (p *Part) Now() []float64 {
	n := p.Medium.Rows * p.stride
	return p.cells[p.level*n:][:n]
}

// Surface returns the current temperatures along the interface.
func (p *Part) Surface() []float64 { return p.row(p.level, 0)[1 : 1+p.Own.Count] }

// Column copies column i, counted from 0 without ghosts, to col.
func (p *Part) Column(col []float64, i int) {
	for j := range p.Medium.Rows {
		col[j] = p.row(p.level, j)[1+i]
	}
}

// SetColumn copies col to column i; -1 and Own.Count are the ghosts.
func (p *Part) SetColumn(i int, col []float64) {
	for j := range p.Medium.Rows {
		p.row(p.level, j)[1+i] = col[j]
	}
}

// Walls fills the ghost columns at the walls of the domain: no heat flows between
// equal temperatures.
func (p *Part) Walls() {
	n := p.Own.Count
	for j := range p.Medium.Rows {
		t := p.row(p.level, j)
		if p.Own.First == 0 {
			t[0] = t[1]
		}
		if p.Own.End() == p.Medium.Columns {
			t[n+1] = t[n]
		}
	}
}

// FluxOcean computes the flux into the surface cells of the ocean from the
// temperatures of the fine columns that they need.
func (p *Part) FluxOcean(above []float64) {
	for i, t := range p.Surface() {
		sum := 0.0
		for f := range Refine {
			sum += exchange * (above[i*Refine+f] - t)
		}
		p.flux[i] = sum / Refine
	}
}

// FluxAtmosphere computes the flux into the surface cells of the atmosphere from the
// temperatures of the coarse columns that they need.
func (p *Part) FluxAtmosphere(below []float64) {
	first := NeedsOfAtmosphere(p.Own).First
	for i, t := range p.Surface() {
		p.flux[i] = exchange * (below[(p.Own.First+i)/Refine-first] - t)
	}
}

// Step computes the next time level from ghost cells and fluxes; Advance makes it the
// current one.
func (p *Part) Step() {
	m := p.Medium
	h := 1 / float64(m.Columns)
	r := m.Diffusivity * timeStep / (h * h)
	for j := range m.Rows {
		toward, away := p.row(p.level, max(j-1, 0)), p.row(p.level, min(j+1, m.Rows-1))
		stepRow(p.row(1-p.level, j), p.row(p.level, j), toward, away, r)
	}
	surface := p.row(1-p.level, 0)
	for i, flux := range p.flux {
		surface[1+i] += timeStep * flux / (m.Capacity * h)
	}
}

// stepRow computes one row of the next time level. toward and away are the rows on
// the side of the interface and on the other; at an edge, the row itself.
func stepRow(next, row, toward, away []float64, r float64) {
	for i := 1; i < len(row)-1; i++ {
		t := row[i]
		next[i] = t + r*(row[i-1]-2*t+row[i+1]) + r*(toward[i]-2*t+away[i])
	}
}

// Advance makes the next time level the current one.
func (p *Part) Advance() { p.level = 1 - p.level }

// Content returns the heat of the part.
func (p *Part) Content() float64 {
	h := 1 / float64(p.Medium.Columns)
	sum := 0.0
	for j := range p.Medium.Rows {
		for _, t := range p.row(p.level, j)[1 : 1+p.Own.Count] {
			sum += t
		}
	}
	return sum * p.Medium.Capacity * h * h
}

// Serial runs both media in full and returns them after the last step.
func Serial() (ocean, air *Part, err error) {
	if ocean, err = NewPart(Ocean(), Span{0, Ocean().Columns}); err != nil {
		return nil, nil, err
	}
	if air, err = NewPart(Atmosphere(), Span{0, Atmosphere().Columns}); err != nil {
		return nil, nil, err
	}
	for range Steps {
		ocean.Walls()
		air.Walls()
		ocean.FluxOcean(air.Surface())
		air.FluxAtmosphere(ocean.Surface())
		ocean.Step()
		air.Step()
		ocean.Advance()
		air.Advance()
	}
	return ocean, air, nil
}

// Difference compares p with the same columns of whole and returns the largest
// difference, relative to the largest temperature. It is NaN if either has a NaN.
func (p *Part) Difference(whole *Part) float64 {
	difference, scale := 0.0, 0.0
	for j := range p.Medium.Rows {
		mine := p.row(p.level, j)[1 : 1+p.Own.Count]
		theirs := whole.row(whole.level, j)[1+p.Own.First:]
		for i, t := range mine {
			// max is NaN if one of its arguments is.
			difference = max(difference, math.Abs(t-theirs[i]))
			scale = max(scale, math.Abs(theirs[i]))
		}
	}
	return difference / scale
}
