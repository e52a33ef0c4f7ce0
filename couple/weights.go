package couple

import (
	"context"

	"github.com/goacp/goacp/internal/couple/link"
)

// Weight is an entry of a sparse matrix between fields on different grids. Point Row of the receiving field gets Value
// times the value of point Column of the sending one, and the same of other entries of the row.
type Weight struct {
	Row, Column int
	Value       float64
}

// ReceiveWeighted opens the link to this field from the field with a name, whose points need not be those of this
// field. In Receive each point that has a row in the matrix gets the sum over the row: the values of the sending field
// times their weights. Sums are made in float64. Other points stay as they are. With several values per point the
// weights apply to each of them.
//
// A rank gives the entries of the points that it holds, those of the halo with FillHalo, in any order. Entries of the
// same row and column add up. The rank gets the values of the points that are columns of its entries, and no others.
// Fails as ReceiveFrom does, and with ErrWeights. Collective for the ranks of both models. Blocks until all have called.
func (f *Field) ReceiveWeighted(ctx context.Context, field string, weights []Weight, o Options) (*Receiver, error) {
	entries := make([]link.Weight, len(weights))
	for i, w := range weights {
		entries[i] = link.Weight{Row: int64(w.Row), Column: int64(w.Column), Value: w.Value}
	}
	r, err := f.core.ReceiveWeighted(ctx, field, entries, link.Options(o))
	if err != nil {
		return nil, err
	}
	return &Receiver{r}, nil
}
