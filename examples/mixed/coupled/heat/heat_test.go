package heat

import (
	"fmt"
	"math"
	"testing"
)

// model is a medium in parts, with halos exchanged by plain copies.
type model struct{ parts []*Part }

func newModel(t *testing.T, m Medium, size int) *model {
	t.Helper()
	d := &model{}
	for i := range size {
		p, err := NewPart(m, Share(m.Columns, i, size))
		if err != nil {
			t.Fatal(err)
		}
		d.parts = append(d.parts, p)
	}
	return d
}

// surface gathers the columns of span from the parts that own them.
func (d *model) surface(span Span) []float64 {
	var s []float64
	for _, p := range d.parts {
		common := Overlap(p.Own, span)
		if common.Count == 0 {
			continue
		}
		s = append(s, p.Surface()[common.First-p.Own.First:][:common.Count]...)
	}
	return s
}

func (d *model) halos() {
	col := make([]float64, d.parts[0].Medium.Rows)
	for i, p := range d.parts {
		p.Walls()
		if i > 0 {
			left := d.parts[i-1]
			left.Column(col, left.Own.Count-1)
			p.SetColumn(-1, col)
			p.Column(col, 0)
			left.SetColumn(left.Own.Count, col)
		}
	}
}

func (d *model) step() {
	d.halos()
	for _, p := range d.parts {
		p.Step()
		p.Advance()
	}
}

func (d *model) content() (sum float64) {
	for _, p := range d.parts {
		sum += p.Content()
	}
	return sum
}

func TestPartsGiveTheSerialResult(t *testing.T) {
	refOcean, refAir, err := Serial()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ oceans, airs int }{{1, 1}, {2, 3}, {3, 2}, {5, 7}, {50, 100}} {
		t.Run(fmt.Sprintf("%d+%d", c.oceans, c.airs), func(t *testing.T) {
			ocean, air := newModel(t, Ocean(), c.oceans), newModel(t, Atmosphere(), c.airs)
			before := ocean.content() + air.content()
			for range Steps {
				for _, p := range ocean.parts {
					p.FluxOcean(air.surface(NeedsOfOcean(p.Own)))
				}
				for _, p := range air.parts {
					p.FluxAtmosphere(ocean.surface(NeedsOfAtmosphere(p.Own)))
				}
				ocean.step()
				air.step()
			}
			if drift := math.Abs(ocean.content()+air.content()-before) / before; drift > 1e-12 {
				t.Errorf("heat changed by %g of itself", drift)
			}
			for _, p := range ocean.parts {
				if d := p.Difference(refOcean); d != 0 {
					t.Errorf("ocean %v differs by %g", p.Own, d)
				}
			}
			for _, p := range air.parts {
				if d := p.Difference(refAir); d != 0 {
					t.Errorf("atmosphere %v differs by %g", p.Own, d)
				}
			}
		})
	}
}

func TestHeatFlowsFromWarmToCold(t *testing.T) {
	ocean, air, err := Serial()
	if err != nil {
		t.Fatal(err)
	}
	start := newModel(t, Ocean(), 1)
	if ocean.Content() >= start.content() {
		t.Errorf("the warm ocean went from %g to %g", start.content(), ocean.Content())
	}
	if d := start.parts[0].Difference(ocean); d < 0.01 {
		t.Errorf("the run changes temperatures by %g only", d)
	}
	for i, a := range air.Surface() {
		if o := ocean.Surface()[i/Refine]; a >= o {
			t.Errorf("column %d: atmosphere %g above ocean %g", i, a, o)
		}
	}
}

func TestDifferenceSeesWrongAndMissingNumbers(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), 100} {
		a, b := newModel(t, Ocean(), 1).parts[0], newModel(t, Ocean(), 1).parts[0]
		if d := a.Difference(b); d != 0 {
			t.Errorf("equal parts differ by %g", d)
		}
		a.Surface()[3] = v
		if d := a.Difference(b); d <= 1e-12 {
			t.Errorf("%g was not noticed: %g", v, d)
		}
	}
}

func TestSharesCoverAllColumns(t *testing.T) {
	for size := 1; size <= 10; size++ {
		next := 0
		for i := range size {
			s := Share(OceanColumns, i, size)
			if s.First != next {
				t.Fatalf("part %d of %d begins at %d, expected %d", i, size, s.First, next)
			}
			next = s.End()
		}
		if next != OceanColumns {
			t.Errorf("%d parts end at %d, expected %d", size, next, OceanColumns)
		}
	}
}

func TestPartWithoutColumns(t *testing.T) {
	if p, err := NewPart(Ocean(), Span{}); err == nil {
		t.Errorf("got %v, expected an error", p)
	}
}
