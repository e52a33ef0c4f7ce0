package meet

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Why there is no link.
var (
	// ErrTypes: the fields of a link have different types, or a different number of values per
	// point.
	ErrTypes = errors.New("types differ")
	// ErrGrids: the points of the fields have their numbers in grids of different shapes.
	ErrGrids = errors.New("grids differ")
	// ErrDisagree: the ranks of a model do not open the same.
	ErrDisagree = errors.New("ranks disagree")
	// ErrField: a field that the other model does not have.
	ErrField = errors.New("unknown field")
	// ErrPartner: another rank could not open the link.
	ErrPartner = errors.New("a rank could not open the link")
	// ErrEnded: the other side has closed the link.
	ErrEnded = errors.New("the other side has ended")
	// ErrWeights: weights that cannot be.
	ErrWeights = errors.New("bad weights")
	// ErrModel: a model that cannot be.
	ErrModel = errors.New("bad model")
)

// codes are the errors that answers carry, by number.
var codes = []error{nil, ErrTypes, ErrDisagree, ErrPartner, ErrEnded, ErrField, ErrWeights, ErrGrids, ErrModel}

// Outcome is an error as it travels. The zero Outcome is none.
type Outcome struct {
	code uint64
	text string
}

// problem returns an outcome with one of codes.
func problem(err error, format string, args ...any) Outcome {
	for i, e := range codes {
		if e == err {
			return Outcome{uint64(i), fmt.Sprintf(format, args...)}
		}
	}
	panic("no code for " + err.Error())
}

// Encode returns the outcome as a message.
func (o *Outcome) Encode() []byte {
	var w wire.Writer
	o.append(&w)
	return w
}

func (o *Outcome) append(w *wire.Writer) {
	w.Number(o.code)
	w.Text(o.text)
}

// DecodeOutcome is the inverse of Outcome.Encode. Fails with wire.ErrMalformed.
func DecodeOutcome(b []byte) (Outcome, error) {
	r := wire.NewReader(b)
	o := readOutcome(r)
	return o, r.End()
}

func readOutcome(r *wire.Reader) Outcome { return Outcome{r.Number(), r.Text()} }

// Err returns the error, or nil.
func (o Outcome) Err() error {
	switch {
	case o.code == 0:
		return nil
	case o.code < uint64(len(codes)):
		return fmt.Errorf("%w: %s", codes[o.code], o.text)
	}
	return wire.ErrMalformed
}
