package link

import (
	"errors"

	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

// Errors that users may test for.
var (
	// ErrTypes: the fields of a link have different types, or a different number of values per
	// point.
	ErrTypes = meet.ErrTypes
	// ErrGrids: the points of the fields have their numbers in grids of different shapes.
	ErrGrids = meet.ErrGrids
	// ErrMissing: the receiving side needs a point that no rank of the sending side holds.
	ErrMissing = errors.New("missing point")
	// ErrSize: the length of data does not fit the points.
	ErrSize = errors.New("sizes do not fit")
	// ErrDisagree: the ranks of a model do not open the same.
	ErrDisagree = meet.ErrDisagree
	// ErrField: a field that the other model does not have.
	ErrField = meet.ErrField
	// ErrPartner: another rank could not open the link.
	ErrPartner = meet.ErrPartner
	// ErrEnded: the other side has closed the link.
	ErrEnded = meet.ErrEnded
	// ErrStep: the message is of another step.
	ErrStep = errors.New("steps differ")
	// ErrModel: a model that cannot be.
	ErrModel = meet.ErrModel
	// ErrOptions: options that no link can have.
	ErrOptions = errors.New("bad options")
	// ErrWeights: weights that cannot be.
	ErrWeights = meet.ErrWeights
	// ErrFile: a file that is not the state of the link, or does not have its initial values.
	ErrFile = timing.ErrFile
	// ErrClosed: this rank has closed the link, or Reset has forgotten it.
	ErrClosed = errors.New("closed")
)
