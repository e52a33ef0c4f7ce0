package link

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
)

// Errors that users may test for.
var (
	// ErrTypes: the fields of a link have different types, or a different number of values per
	// point.
	ErrTypes = errors.New("types differ")
	// ErrGrids: the points of the fields have their numbers in grids of different shapes.
	ErrGrids = errors.New("grids differ")
	// ErrMissing: the receiving side wants a point that no rank of the sending side holds.
	ErrMissing = errors.New("missing point")
	// ErrSize: the length of data does not fit the points.
	ErrSize = errors.New("sizes do not fit")
	// ErrDisagree: the ranks of a model do not open the same.
	ErrDisagree = errors.New("ranks disagree")
	// ErrField: a field that the other model does not have.
	ErrField = errors.New("unknown field")
	// ErrPartner: another rank could not open the link.
	ErrPartner = errors.New("a rank could not open the link")
	// ErrEnded: the other side has closed the link.
	ErrEnded = errors.New("the other side has ended")
	// ErrStep: the message is of another step.
	ErrStep = errors.New("steps differ")
	// ErrModel: a model that cannot be.
	ErrModel = errors.New("bad model")
	// ErrOptions: options that no link can have.
	ErrOptions = errors.New("bad options")
	// ErrClosed: this rank has closed the link, or Reset has forgotten it.
	ErrClosed = errors.New("closed")
)

var errMalformed = fmt.Errorf("%w about a link", global.ErrProtocol)

// codes are the errors that answers carry, by number.
var codes = []error{nil, ErrTypes, ErrDisagree, ErrPartner, ErrEnded, ErrField, ErrWeights, ErrGrids}

// outcome is an error as it travels. Code 0 is none.
type outcome struct {
	code uint64
	text string
}

// problem returns an outcome with one of codes.
func problem(err error, format string, args ...any) outcome {
	for i, e := range codes {
		if e == err {
			return outcome{uint64(i), fmt.Sprintf(format, args...)}
		}
	}
	panic("no code for " + err.Error())
}

// encode returns the outcome as a message.
func (o *outcome) encode() []byte {
	var w writer
	w.number(o.code)
	w.text(o.text)
	return w
}

func decodeOutcome(b []byte) (o outcome, err error) {
	r := reader{rest: b}
	o.code, o.text = r.number(), string(r.bytes())
	return o, r.end()
}

// err returns the error, or nil.
func (o outcome) err() error {
	switch {
	case o.code == 0:
		return nil
	case o.code < uint64(len(codes)):
		return fmt.Errorf("%w: %s", codes[o.code], o.text)
	}
	return errMalformed
}
