package couple

import (
	"github.com/goacp/goacp/internal/system/couple/link"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// Errors that programs may test for with errors.Is. Messages name the link, the fields, the ranks and the
// first point that is concerned.
var (
	// ErrTypes: the fields of a link have different types, or a different number of values per
	// point.
	ErrTypes = link.ErrTypes
	// ErrGrids: the fields are blocks of grids of different shapes, and the link has neither weights nor
	// Options.SameNumbers.
	ErrGrids = link.ErrGrids
	// ErrMissing: the receiving side needs a point that no rank of the sending side holds.
	ErrMissing = link.ErrMissing
	// ErrTwice: two ranks of the sending side hold the same point, or a rank declares a point twice.
	ErrTwice = points.ErrTwice
	// ErrDisagree: the ranks of a model do not open the same link.
	ErrDisagree = link.ErrDisagree
	// ErrField: the other model has no such field: it has called Model.Seal, or its ranks have ended.
	ErrField = link.ErrField
	// ErrPartner: another rank could not open the link.
	ErrPartner = link.ErrPartner
	// ErrEnded: the other side has closed the link.
	ErrEnded = link.ErrEnded
	// ErrClosed: this rank has closed the link, or Reset has ended it.
	ErrClosed = link.ErrClosed
	// ErrStep: the steps of both sides do not belong together, or do not ascend.
	ErrStep = link.ErrStep
	// ErrModel: a bad name or list of ranks, or a name that guests have which have attached later.
	ErrModel = link.ErrModel
	// ErrShape: points that cannot be.
	ErrShape = points.ErrShape
	// ErrSize: the length of the data does not fit the points.
	ErrSize = link.ErrSize
	// ErrWeights: weights of points that the rank does not hold, or of a field without real or complex values.
	ErrWeights = link.ErrWeights
	// ErrFile: a file that is not the state of this side of a link, or does not have its initial values.
	ErrFile = link.ErrFile
	// ErrOptions: options that no link can have.
	ErrOptions = link.ErrOptions
)
