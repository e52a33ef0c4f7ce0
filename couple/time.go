package couple

import (
	"context"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/timing"
)

// Reduction is how a sender reduces the values of the steps since its last message to one message.
type Reduction = timing.Reduction

// The reductions.
const (
	Last    = timing.Last    // the values of the step of the message, which is what links do without Reduce
	Sum     = timing.Sum     // the sum, computed in float64
	Average = timing.Average // the sum divided by the number of steps
	Minimum = timing.Minimum // of each value; not for complex values
	Maximum = timing.Maximum // of each value; not for complex values
)

// Reduce lets each message have the sum, average, minimum or maximum of the values in all steps since the last message. The
// program calls Send in each step, also in those without a message. All ranks of the model pass the same. With a matrix on this
// side, the values are reduced first. Fails with ErrOptions for a field of integers, and after the first step. Local. Does not
// block.
func (s *Sender) Reduce(r Reduction) error { return s.core.Reduce(r) }

// Lag lets the values of step n count as those of step n+steps. So step n has a message if Every divides n+steps, and the first
// messages have the values of Initialize. At the end of a run no receiver needs the last messages, and Save keeps them: when a
// receiver has closed the link, Send still succeeds for as many messages as the lag has. All ranks of the model pass the same.
// Fails with ErrOptions for a field of integers, if the lag has more messages than the link has levels, and after the first
// step. Local. Does not block.
func (s *Sender) Lag(steps int) error { return s.core.Lag(steps) }

// Initialize sends the present values of the field as the messages before that of the first step: those that receivers wait
// for until the lag is over. first is the first step that the program sends. Each rank of the model calls it or Load before
// Send, if there is a lag. Fails with ErrOptions and ErrStep, and as Send does. Local. Does not block, since the link has
// enough levels.
func (s *Sender) Initialize(ctx context.Context, first int) error {
	return s.core.Initialize(ctx, int64(first))
}

// InitializeFrom is Initialize with the values of a file: those of all points of the grid or mesh in order of their numbers from
// 0 on, in the type of the field, little endian and without a header. Each rank reads its own points. Fails also with ErrFile,
// and with an error of package os. Local. Does not block, apart from reading.
func (s *Sender) InitializeFrom(ctx context.Context, first int, file string) error {
	return s.core.InitializeFrom(ctx, int64(first), file)
}

// Save writes the state of the operations in time to a file, between two steps: what has been reduced since the last message,
// and messages that receivers need when they have come as far as this rank. The name of the file is name, a full stop and
// the number of the process in its model. An earlier file with that name is replaced when the new one is whole. Fails with
// ErrOptions for a link without operations in time, and with an error of package os. Local. Does not block, apart from writing.
func (s *Sender) Save(name string) error { return s.core.Save(name) }

// Load continues from the file that Save has written for this rank, and returns the last step before it was written. The program
// has chosen the same operations as then, and calls it before the first step, in place of Initialize. The model has the same
// ranks and points. Fails with ErrFile for a file of another link, rank, grid, operation or version and for a damaged one,
// with ErrOptions after the first step, with an error of package os, and as Send does. Local. Does not block, since the link
// has enough levels.
func (s *Sender) Load(ctx context.Context, name string) (step int, err error) {
	last, err := s.core.Load(ctx, name)
	return int(last), err
}

// Save writes the state of the operations in time to a file: the messages between which Receive interpolates. Otherwise as Save
// of Sender. Local. Does not block, apart from writing.
func (r *Receiver) Save(name string) error { return r.core.Save(name) }

// Load continues from the file that Save has written for this rank. Otherwise as Load of Sender. Local. Does not block, apart
// from reading.
func (r *Receiver) Load(ctx context.Context, name string) (step int, err error) {
	last, err := r.core.Load(ctx, name)
	return int(last), err
}

// Conservation is how receivers keep the integral of a field: the sum of the values times the areas of their points.
type Conservation = conserve.Method

// The ways of Conservation.
const (
	ConserveNothing  = conserve.None
	ConserveAdd      = conserve.Add      // the same number is added to all received values
	ConserveMultiply = conserve.Multiply // all received values are multiplied by the same number; if their sum is 0, as ConserveAdd
)

// Conserve lets links of this field that are opened afterwards keep the integral of the field, which weights may change: each
// receiver corrects the values, so that the sum of values times areas over all points that receive a value is that over all
// points of the sending field that are not masked. areas has the area of each point in memory, in the order of the data, with
// a halo if there is one; nil means that all areas are 1. Both fields of a link call it with the same c. All ranks of the model
// call it. The sums take one message from each rank to the first rank of the receiving side, and its answer. So Receive waits
// until all ranks of both sides have come to the message. Points of halos that are filled count once for each rank. Fails with
// ErrOptions for a field of integers, and with ErrSize. Local. Does not block.
func (f *Field) Conserve(c Conservation, areas []float64) error {
	if areas != nil && len(areas) != f.values/f.perPoint {
		return fmt.Errorf("field %s: %w: %d areas for %d points", f.Name(), ErrSize, len(areas), f.values/f.perPoint)
	}
	if areas == nil {
		return f.core.Conserve(c, nil)
	}
	own := slices.Clone(areas)
	return f.core.Conserve(c, func(position int64) float64 { return own[position] })
}

// Scale multiplies the values by a factor and adds an offset before they are sent, such as for another unit. With a matrix on
// this side, the values are scaled first. To complex values the offset is added as a real number. Fails with ErrOptions for a
// field of integers, for numbers that are not finite, and after the first step. Local. Does not block.
func (s *Sender) Scale(factor, offset float64) error { return s.core.Scale(factor, offset) }

// Scale multiplies the received values by a factor and adds an offset. With a matrix on this side, the values are scaled last.
// Otherwise as Scale of Sender. Local. Does not block.
func (r *Receiver) Scale(factor, offset float64) error { return r.core.Scale(factor, offset) }

// Interpolate lets Receive compute the values of each step on the straight line between the messages before and after it. So
// Receive acts in each step, and a step between two messages needs the later one. Fails with ErrOptions for a field of
// integers, and after the first step. Local. Does not block.
func (r *Receiver) Interpolate() error { return r.core.Interpolate() }
