package meet

import (
	"strings"

	"github.com/goacp/goacp/internal/system/couple/side"
)

// LinkName returns the name of the link between two fields, such as "ocean.sst>air.sst".
func LinkName(from, to string) string { return from + ">" + to }

// Fields returns the names of the fields of a link.
func Fields(link string) (from, to string) {
	from, to, _ = strings.Cut(link, ">")
	return from, to
}

// Partner returns the name of the field at the other side of a link.
func Partner(link string, sd side.Side) string {
	from, to := Fields(link)
	if sd == side.Sending {
		return to
	}
	return from
}

// otherSide returns the model and the field at the other side of a link of a model.
func otherSide(link, model string) (other, field string) {
	from, to := Fields(link)
	if other, field, _ = strings.Cut(from, "."); other == model {
		other, field, _ = strings.Cut(to, ".")
	}
	return other, field
}
