package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// Weight is an entry of a sparse matrix between fields on different grids. It adds Value times the value of point
// Column of the sending field to point Row of the receiving field.
type Weight struct {
	Row, Column int
	Value       float64
}

// ReceiveWeighted opens the link to this field from the field with a name, with a matrix of weights: the two fields
// may have different points. Receive sets each point that has a row in the matrix to the sum over the row of weight
// times value of the sending field. Sums are computed in float64. Other points keep their values. With several values
// per point, the weights apply to each value.
//
// A rank passes the entries of the points that it holds, including the halo with FillHalo, in any order. Entries of
// the same row and column add up. The rank receives only the values of points that are columns of its entries. Fails
// as ReceiveFrom does, and with ErrWeights. Collective for the ranks of both models. Blocks until all ranks have
// called.
func (f *Field) ReceiveWeighted(ctx context.Context, field string, weights []Weight, o Options) (*Receiver, error) {
	r, err := f.core.ReceiveWeighted(ctx, field, entriesOf(weights), o.core())
	if err != nil {
		return nil, err
	}
	return &Receiver{r}, nil
}

// SendWeighted opens the link from this field to the field with a name, with a matrix of weights: the two fields may
// have different points. Each point of the other field that has a row in the matrix is set to the sum over the row of
// weight times value of this field. Other points keep their values. The other model calls ReceiveFrom.
//
// A rank passes the entries whose columns are points that it holds, in any order. Entries of the same row and column
// add up. For each row that a receiver needs, the rank sends the sum of its own entries, in the type of the field.
// The receiver adds the sums of all senders in float64. If the other grid is coarser, this moves less data than
// ReceiveWeighted.
//
// If the other side calls ReceiveWeighted, the values go through both matrices. Fails as SendTo does except with
// ErrMissing and ErrTwice, and with ErrWeights. Collective for the ranks of both models. Blocks until all ranks have
// called.
func (f *Field) SendWeighted(ctx context.Context, field string, weights []Weight, o Options) (*Sender, error) {
	s, err := f.core.SendWeighted(ctx, field, entriesOf(weights), o.core())
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
