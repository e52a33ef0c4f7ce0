package timing

import "fmt"

// Reduction is how a sender reduces the values of the steps since its last message.
type Reduction uint8

// The reductions.
const (
	Last    Reduction = iota // no reduction: the values of the step of the message
	Sum                      // in float64
	Average                  // the sum, divided by the number of steps
	Minimum                  // NaN if a value is NaN
	Maximum                  // NaN if a value is NaN
	reductions
)

var names = [reductions]string{"last", "sum", "average", "minimum", "maximum"}

// String returns the name of the reduction, such as "average".
func (r Reduction) String() string {
	if r < reductions {
		return names[r]
	}
	return fmt.Sprintf("reduction %d", uint8(r))
}

// Valid reports whether there is such a reduction.
func (r Reduction) Valid() bool { return r < reductions }

// Ordered reports whether the reduction compares values, which complex numbers do not allow.
func (r Reduction) Ordered() bool { return r == Minimum || r == Maximum }

// ReductionOf returns the reduction with a name, or false if there is none.
func ReductionOf(name string) (Reduction, bool) {
	for i, n := range names {
		if n == name {
			return Reduction(i), true
		}
	}
	return 0, false
}

// Names returns the names of all reductions in an order for messages.
func Names() []string { return names[:] }

// reduce adds the values of a step to the totals of earlier steps.
func (r Reduction) reduce(totals, values []float64) {
	switch r {
	case Minimum:
		for i, x := range values {
			totals[i] = min(totals[i], x)
		}
	case Maximum:
		for i, x := range values {
			totals[i] = max(totals[i], x)
		}
	default:
		for i, x := range values {
			totals[i] += x
		}
	}
}
