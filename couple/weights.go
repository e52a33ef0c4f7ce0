package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
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
	r, err := f.core.ReceiveWeighted(ctx, field, entriesOf(weights), link.Options(o))
	if err != nil {
		return nil, err
	}
	return &Receiver{r}, nil
}

// SendWeighted opens the link from this field to the field with a name, whose points need not be those of this field.
// Each point of that field that has a row in the matrix gets the sum over the row: the values of this field times their
// weights. Other points of it stay as they are. The other model calls ReceiveFrom.
//
// A rank gives the entries whose columns are points that it holds, in any order. Entries of the same row and column add
// up. The rank sends one value for each row that it has and another rank wants, which is the sum of its own entries in
// the type of the field. The receiver adds those of all senders in float64. So this moves less than ReceiveWeighted if
// the other grid is coarser.
//
// If the other side calls ReceiveWeighted, the values go through both matrices. Fails as SendTo does except with
// ErrMissing and ErrTwice, and with ErrWeights. Collective for the ranks of both models. Blocks until all have called.
func (f *Field) SendWeighted(ctx context.Context, field string, weights []Weight, o Options) (*Sender, error) {
	s, err := f.core.SendWeighted(ctx, field, entriesOf(weights), link.Options(o))
	if err != nil {
		return nil, err
	}
	return &Sender{s}, nil
}

// WatchWeighted is Watch with weights as in ReceiveWeighted. Fails also with ErrWeights. Collective for the ranks of this
// model. Blocks until the other model publishes.
func (f *Field) WatchWeighted(ctx context.Context, field string, weights []Weight) (*Watcher, error) {
	w, err := f.core.WatchWeighted(ctx, field, entriesOf(weights))
	if err != nil {
		return nil, err
	}
	return &Watcher{w}, nil
}

// PublishWeighted is PublishTo with weights as in SendWeighted. Fails also with ErrWeights. Local. Does not block.
func (f *Field) PublishWeighted(field string, every int, weights []Weight) (*Publisher, error) {
	p, err := f.core.PublishWeighted(field, every, entriesOf(weights))
	if err != nil {
		return nil, err
	}
	return &Publisher{p}, nil
}

// entriesOf returns the entries of a matrix as package link takes them.
func entriesOf(weights []Weight) []link.Weight {
	entries := make([]link.Weight, len(weights))
	for i, w := range weights {
		entries[i] = link.Weight{Row: int64(w.Row), Column: int64(w.Column), Value: w.Value}
	}
	return entries
}
