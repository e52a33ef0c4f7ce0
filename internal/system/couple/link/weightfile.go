package link

import (
	"context"
	"fmt"
	"os"

	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/weightfile"
)

// fileWeights is the part of a file with weights that one rank keeps.
type fileWeights struct {
	own   []Weight // the entries whose row, or column at a sender, is a point of the rank
	share meet.Share
}

// weightedByFile is weighted with the weights of a file. If the file cannot be read, no link can have the field.
func (f *Field) weightedByFile(file string, sd side.Side) *Field {
	w, err := f.readWeights(file, sd)
	if err != nil {
		return f.between(sd, nil, err)
	}
	b := f.weighted(w.own, sd)
	b.product.share = w.share
	return b
}

// readWeights reads the weights of a field that this rank has on a side. Each rank reads the whole file, and keeps its own entries.
// The first rank of the model prints what is left out. Fails with ErrWeights.
func (f *Field) readWeights(file string, sd side.Side) (w fileWeights, err error) {
	own, masked := f.layouts[sd].Points.Index(), f.masked[sd].Index()
	c, err := weightfile.Read(file, func(row, column int64, value float64) error {
		entry := Weight{row, column, value}
		point := entry.point(sd)
		held := own.Has(point) || masked.Has(point)
		if held {
			w.own = append(w.own, entry)
		}
		if value != 0 { // a weight of 0 needs no sender
			w.share.All.Add(column)
			if held {
				w.share.Own.Add(column)
			}
		}
		return nil
	})
	if err != nil {
		return w, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	if f.model.index == 0 {
		for _, note := range c.Notes {
			fmt.Fprintf(os.Stderr, "acp: warning: field %s: %s: %s\n", f.Name(), file, note)
		}
	}
	return w, nil
}

// ReceiveByFile is ReceiveWeighted with the weights of a file, of which each rank keeps the rows of its own points.
func (f *Field) ReceiveByFile(ctx context.Context, from, file string, o Options) (*Receiver, error) {
	return f.weightedByFile(file, side.Receiving).ReceiveFrom(ctx, from, o)
}

// SendByFile is SendWeighted with the weights of a file, of which each rank keeps the columns of its own points.
func (f *Field) SendByFile(ctx context.Context, to, file string, o Options) (*Sender, error) {
	return f.weightedByFile(file, side.Sending).SendTo(ctx, to, o)
}

// WatchByFile is WatchWeighted with the weights of a file.
func (f *Field) WatchByFile(ctx context.Context, from, file string) (*Watcher, error) {
	return f.weightedByFile(file, side.Receiving).Watch(ctx, from)
}

// PublishByFile is PublishWeighted with the weights of a file.
func (f *Field) PublishByFile(to string, every int, file string) (*Publisher, error) {
	return f.weightedByFile(file, side.Sending).PublishTo(to, every)
}
