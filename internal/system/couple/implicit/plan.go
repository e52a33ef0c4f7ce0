package implicit

import (
	"errors"
	"fmt"
	"math"
)

// Method is how the next values follow from the last ones.
type Method int

// The methods.
const (
	Constant Method = iota // relaxation by a constant
	Aitken                 // relaxation by a factor that follows from the residuals
	IQNILS                 // least squares approximation of the inverse of the Jacobian
)

var names = [...]string{Constant: "constant", Aitken: "aitken", IQNILS: "iqn-ils"}

// String returns the name of the method.
func (m Method) String() string {
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("method %d", int(m))
	}
	return names[m]
}

// Measure is what decides whether a field has converged. All norms are Euclidean, over all points of all ranks.
type Measure int

// The measures.
const (
	Absolute Measure = iota // the norm of the residual
	Relative                // the norm of the residual, divided by that of the new values
	Residual                // the norm of the residual, divided by that in the first iteration of the step
)

// Criterion is a limit for a measure of a field.
type Criterion struct {
	Field   int
	Measure Measure
	Limit   float64
}

// Plan says how a step is iterated.
type Plan struct {
	Method     Method
	Relaxation float64 // of Constant, and of the first iterations of the others
	Columns    int     // most columns of IQNILS
	Reuse      int     // from how many steps before the present one columns are used
	Most       int     // iterations of a step; 0: no limit
	Criteria   []Criterion
}

// Bounds of plans.
const (
	MostColumns = 200
	MostFields  = 32
)

// filter is how small the part of a column that is independent of newer ones may be, relative to the column. Smaller ones have lost half
// of their digits, and are dropped.
const filter = 1e-8

// ErrPlan: a plan that cannot be.
var ErrPlan = errors.New("bad plan")

// Check returns an error unless a plan can be carried out.
func (p *Plan) Check() error {
	switch {
	case p.Method < Constant || p.Method > IQNILS:
		return fmt.Errorf("%w: method %d; expected one from 0 to %d", ErrPlan, int(p.Method), int(IQNILS))
	case math.IsNaN(p.Relaxation) || math.IsInf(p.Relaxation, 0) || p.Relaxation == 0:
		return fmt.Errorf("%w: relaxation %v; expected a finite number that is not 0", ErrPlan, p.Relaxation)
	case p.Method == IQNILS && (p.Columns < 1 || p.Columns > MostColumns):
		return fmt.Errorf("%w: %d columns; expected 1 to %d", ErrPlan, p.Columns, MostColumns)
	case p.Reuse < 0:
		return fmt.Errorf("%w: columns of %d earlier steps", ErrPlan, p.Reuse)
	case p.Most < 0:
		return fmt.Errorf("%w: at most %d iterations", ErrPlan, p.Most)
	}
	return nil
}

// Check returns an error unless the limit can be.
func (c *Criterion) Check() error {
	if c.Measure < Absolute || c.Measure > Residual {
		return fmt.Errorf("%w: measure %d; expected one from 0 to %d", ErrPlan, int(c.Measure), int(Residual))
	}
	if !(c.Limit > 0) || math.IsInf(c.Limit, 0) {
		return fmt.Errorf("%w: limit %v; expected a finite number above 0", ErrPlan, c.Limit)
	}
	return nil
}

// columns returns how many columns a part has.
func (p *Plan) columns() int {
	switch p.Method {
	case Aitken:
		return 1
	case IQNILS:
		return p.Columns
	}
	return 0
}
