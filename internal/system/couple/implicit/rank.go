package implicit

// column is a change of residuals and results of all fields of a rank.
type column struct {
	step      int // in which it was made
	residuals [][]float64
	results   [][]float64
}

// Rank has the parts of the fields on one rank of the leading side. One goroutine at a time calls its methods.
type Rank struct {
	plan    Plan
	lengths []int // of the fields

	step      int
	iteration int         // of the step
	given     [][]float64 // x
	residuals [][]float64 // of this iteration
	results   [][]float64 // of this iteration
	columns   []column    // the newest first
}

// NewRank returns a Rank whose fields have some lengths here.
func NewRank(p Plan, lengths []int) *Rank {
	return &Rank{plan: p, lengths: lengths, step: -1}
}

// Begin begins a step with some values of the fields.
func (r *Rank) Begin(values [][]float64) {
	r.step++
	r.iteration = 0
	kept := r.columns[:0]
	for _, c := range r.columns {
		if r.plan.Method == IQNILS && r.step-c.step <= r.plan.Reuse {
			kept = append(kept, c)
		}
	}
	r.columns = kept
	r.given = clones(values)
}

// clones copies vectors.
func clones(x [][]float64) [][]float64 {
	y := make([][]float64, len(x))
	for i := range x {
		y[i] = append([]float64(nil), x[i]...)
	}
	return y
}

// differences returns x - y.
func differences(x, y [][]float64) [][]float64 {
	z := clones(x)
	for i := range z {
		for k := range z[i] {
			z[i][k] -= y[i][k]
		}
	}
	return z
}

// PartLen returns how many numbers the part of a rank has, for some fields.
func (p *Plan) PartLen(fields int) int { return 1 + fields*(triangleLen(p.columns()+1)+1) }

// Part takes the results of an iteration, and returns what the first rank needs of them: the number of columns, and for each field the
// triangle of its columns and its residual, and the norm of the results.
func (r *Rank) Part(results [][]float64) []float64 {
	r.iteration++
	residuals := differences(results, r.given)
	if r.iteration > 1 && r.plan.columns() > 0 {
		c := column{r.step, differences(residuals, r.residuals), differences(results, r.results)}
		r.columns = append([]column{c}, r.columns...)
		r.columns = r.columns[:min(len(r.columns), r.plan.columns())]
	}
	r.residuals, r.results = residuals, clones(results)
	part := make([]float64, 1, r.plan.PartLen(len(r.lengths)))
	part[0] = float64(len(r.columns))
	for f := range r.lengths {
		var all [][]float64
		for i := range r.columns {
			all = append(all, append([]float64(nil), r.columns[i].residuals[f]...))
		}
		all = append(all, append([]float64(nil), residuals[f]...))
		part = append(part, factor(all).values...)
		part = append(part, norm2(results[f]))
	}
	return part[:cap(part)]
}

// Apply returns the values of the next iteration by a decision, or those of the end of the step.
func (r *Rank) Apply(d *Decision) [][]float64 {
	next := clones(r.results)
	if d.Verdict == Again && d.Relaxes {
		for f := range next {
			for k := range next[f] {
				next[f][k] = r.given[f][k] + d.Relaxation*r.residuals[f][k]
			}
		}
	} else if d.Verdict == Again {
		for i, c := range d.Coefficients {
			for f := range next {
				for k, x := range r.columns[i].results[f] {
					next[f][k] += c * x
				}
			}
		}
	}
	kept := r.columns[:0]
	for i, c := range r.columns {
		if i >= len(d.Dropped) || !d.Dropped[i] {
			kept = append(kept, c)
		}
	}
	r.columns = kept
	r.given = clones(next)
	return next
}
