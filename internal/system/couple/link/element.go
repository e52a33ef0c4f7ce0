package link

import (
	"fmt"

	"github.com/goacp/goacp/internal/ground/datatype"
)

// Element is what a field has for each point.
type Element struct {
	Kind   datatype.Kind
	Values int // per point, greater than 0
}

// Size returns the bytes of one point.
func (e Element) Size() int { return e.Kind.Size() * e.Values }

// single reports whether the values are float32, or complex numbers of them. Others are float64.
func (e Element) single() bool { return e.Kind == datatype.Float32 || e.Kind == datatype.Complex64 }

// reals returns how many real numbers one point has, of which complex values have two.
func (e Element) reals() int {
	if e.Kind.Complex() {
		return 2 * e.Values
	}
	return e.Values
}

// String returns for example "3 float64 per point".
func (e Element) String() string { return fmt.Sprintf("%d %v per point", e.Values, e.Kind) }
