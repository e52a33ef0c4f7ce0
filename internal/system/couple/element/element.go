// Package element has the types of the elements of fields: a field has one element for each point.
package element

import (
	"fmt"

	"github.com/goacp/goacp/internal/ground/datatype"
)

// Type is the type of an element: a number of values of one kind.
type Type struct {
	Kind   datatype.Kind
	Values int // per point, greater than 0
}

// Size returns the bytes of one point.
func (t Type) Size() int { return t.Kind.Size() * t.Values }

// Single reports whether the values are float32 or complex64. Other values of weighted fields are float64.
func (t Type) Single() bool { return t.Kind == datatype.Float32 || t.Kind == datatype.Complex64 }

// Reals returns the number of real numbers of one point. A complex value has two.
func (t Type) Reals() int {
	if t.Kind.Complex() {
		return 2 * t.Values
	}
	return t.Values
}

// String returns for example "3 float64 per point".
func (t Type) String() string { return fmt.Sprintf("%d %v per point", t.Values, t.Kind) }
