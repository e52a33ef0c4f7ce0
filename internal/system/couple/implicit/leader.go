package implicit

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Verdict is what follows from an iteration.
type Verdict int

// The verdicts.
const (
	Again     Verdict = iota // the step is repeated with other values
	Converged                // the step is over
	Exhausted                // the step is over after the most iterations, without convergence
	Diverged                 // values are no finite numbers
)

// Decision is sent by the first rank to all other ranks after an iteration.
type Decision struct {
	Verdict      Verdict
	Iteration    int  // of the step, from 1
	Relaxes      bool // by Relaxation, not by Coefficients
	Relaxation   float64
	Coefficients []float64 // of the columns
	Dropped      []bool    // columns that all ranks drop
}

// Leader decides, on the first rank of the leading side. One goroutine at a time calls its methods.
type Leader struct {
	plan      Plan
	fields    int
	iteration int
	first     []float64 // norms of the residuals in the first iteration of the step
	factor    float64   // of Aitken
}

// NewLeader returns a Leader for some fields.
func NewLeader(p Plan, fields int) *Leader {
	return &Leader{plan: p, fields: fields, factor: p.Relaxation}
}

// ErrPart: a part that no rank can have.
var ErrPart = errors.New("bad part")

// Decide decides by the parts of all ranks, in their order. Fails with ErrPart.
func (l *Leader) Decide(parts [][]float64) (*Decision, error) {
	k := int(parts[0][0])
	triangles, sizes := make([]triangle, l.fields), make([]float64, l.fields)
	ones := make([]float64, len(parts))
	for i := range ones {
		ones[i] = 1
	}
	for f := range l.fields {
		var all []triangle
		norms := make([]float64, len(parts))
		for i, p := range parts {
			first := 1 + f*(triangleLen(k+1)+1)
			if len(p) != l.plan.PartLen(l.fields) || p[0] != float64(k) || k < 0 || k > l.plan.columns() {
				return nil, fmt.Errorf("%w: %d numbers of rank %d of the model, with %v columns", ErrPart, len(p), i, p[0])
			}
			end := first + triangleLen(k+1)
			all = append(all, triangle{k + 1, p[first:end]})
			norms[i] = p[end]
		}
		triangles[f], sizes[f] = stack(all, ones), norm2(norms)
	}
	return l.decide(triangles, sizes, k), nil
}

// decide decides by the triangles of the fields over all ranks, and the norms of the results.
func (l *Leader) decide(triangles []triangle, sizes []float64, k int) *Decision {
	l.iteration++
	norms := make([]float64, l.fields)
	for f, t := range triangles {
		norms[f] = t.norm(k)
	}
	if l.iteration == 1 {
		l.first = norms
	}
	d := &Decision{Verdict: l.verdict(norms, sizes), Iteration: l.iteration}
	if d.Verdict != Again {
		l.iteration = 0
		return d
	}
	// Fields of different units count alike: each residual is divided by its first norm in the step.
	scales := make([]float64, l.fields)
	for f := range scales {
		scales[f] = 1
		if l.first[f] > 0 {
			scales[f] = 1 / l.first[f]
		}
	}
	all := stack(triangles, scales)
	switch {
	case l.plan.Method == IQNILS && k > 0:
		d.Coefficients, d.Dropped = leastSquares(all)
		if !slices.Contains(d.Dropped, false) {
			d.Relaxes, d.Relaxation = true, l.plan.Relaxation
		}
	case l.plan.Method == Aitken:
		d.Relaxes, d.Relaxation = true, l.aitken(all, k)
	default:
		d.Relaxes, d.Relaxation = true, l.plan.Relaxation
	}
	return d
}

// verdict compares the residuals with the limits.
func (l *Leader) verdict(norms, sizes []float64) Verdict {
	for f := range norms {
		if x := norms[f] + sizes[f]; math.IsNaN(x) || math.IsInf(x, 0) {
			return Diverged
		}
	}
	converged := true
	for _, c := range l.plan.Criteria {
		bound := c.Limit
		switch c.Measure {
		case Relative:
			bound *= sizes[c.Field]
		case Residual:
			bound *= l.first[c.Field]
		}
		converged = converged && norms[c.Field] <= bound
	}
	switch {
	case converged:
		return Converged
	case l.plan.Most > 0 && l.iteration >= l.plan.Most:
		return Exhausted
	}
	return Again
}

// aitken returns the factor of relaxation. The only column of the triangle before the residual is its last change.
func (l *Leader) aitken(t triangle, k int) float64 {
	if k == 0 {
		// The first iteration of a step begins with the last factor, or with the given one if that is smaller.
		l.factor = math.Copysign(min(math.Abs(l.factor), math.Abs(l.plan.Relaxation)), l.factor)
		return l.factor
	}
	change, along := t.at(0, 0), t.at(0, 1)
	if change != 0 {
		// With dr = r - r', the factor is -w r'dr / drdr, and r'dr = r dr - dr dr.
		l.factor *= 1 - along/change
	}
	return l.factor
}

// leastSquares returns the coefficients of the columns before the last one, and which of them are dropped, since newer columns
// have nearly all of their information.
func leastSquares(t triangle) (coefficients []float64, dropped []bool) {
	k := t.n - 1
	coefficients, dropped = make([]float64, k), make([]bool, k)
	kept := make([]int, k)
	for j := range kept {
		kept[j] = j
	}
	for j := 0; j < len(kept); {
		if math.Abs(t.at(j, j)) > filter*t.norm(j) {
			j++
			continue
		}
		t = t.without(j)
		dropped[kept[j]] = true
		kept = append(kept[:j], kept[j+1:]...)
	}
	for j, c := range t.solve() {
		coefficients[kept[j]] = c
	}
	return coefficients, dropped
}
