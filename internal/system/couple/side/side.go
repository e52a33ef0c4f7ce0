// Package side names the two sides of a link.
package side

// Side is one of the two sides of a link. It is the index of arrays with an element for each
// side.
type Side int

// The sides.
const (
	Sending Side = iota
	Receiving
)

// String returns "sending" or "receiving".
func (s Side) String() string {
	if s == Sending {
		return "sending"
	}
	return "receiving"
}
