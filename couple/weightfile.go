package couple

import (
	"context"

	"github.com/goacp/goacp/internal/system/couple/link"
)

// ReceiveByFile is ReceiveWeighted with the matrix of a file: a netCDF file of SCRIP, CDO, ESMF_RegridWeightGen or YAC, or a
// Matrix Market file. Rows are points of this field, columns those of the other field; both begin with 1 in the file, and
// with 0 in fields. Each rank reads the file and keeps the rows of its own points. Entries with a point that the file
// masks are left out. The first rank of the model prints a warning if the file has other things that are left out.
//
// Fails as ReceiveWeighted does. ErrWeights also means that the file cannot be read; the message names the file, and what
// in it is wrong. Collective for the ranks of both models. Blocks until all ranks have called.
func (f *Field) ReceiveByFile(ctx context.Context, field, file string, o Options) (*Receiver, error) {
	r, err := f.core.ReceiveByFile(ctx, field, file, o.core())
	if err != nil {
		return nil, err
	}
	return &Receiver{r}, nil
}

// SendByFile is SendWeighted with the matrix of a file, of which each rank keeps the columns of its own points. Otherwise as
// ReceiveByFile. A column that no sender has fails with ErrWeights on all ranks. Collective for the ranks of both models.
// Blocks until all ranks have called.
func (f *Field) SendByFile(ctx context.Context, field, file string, o Options) (*Sender, error) {
	s, err := f.core.SendByFile(ctx, field, file, o.core())
	if err != nil {
		return nil, err
	}
	return &Sender{s}, nil
}

// WatchByFile is WatchWeighted with the matrix of a file as in ReceiveByFile. Collective for the ranks of this model. Blocks
// until the other model publishes.
func (f *Field) WatchByFile(ctx context.Context, field, file string) (*Watcher, error) {
	w, err := f.core.WatchByFile(ctx, field, file)
	if err != nil {
		return nil, err
	}
	return &Watcher{w}, nil
}

// PublishByFile is PublishWeighted with the matrix of a file as in SendByFile. Local. Does not block, except to read the
// file.
func (f *Field) PublishByFile(field string, every int, file string) (*Publisher, error) {
	p, err := f.core.PublishByFile(field, every, file)
	if err != nil {
		return nil, err
	}
	return &Publisher{p}, nil
}

// SendByFile begins Field.SendByFile of a field. Otherwise as SendTo. Local. Does not block.
func (g *Group) SendByFile(f *Field, field, file string, o Options) *Sender {
	return g.sender(f, func(ctx context.Context) (*link.Sender, error) {
		return f.core.SendByFile(ctx, field, file, o.core())
	})
}

// ReceiveByFile begins Field.ReceiveByFile of a field. Otherwise as ReceiveFrom. Local. Does not block.
func (g *Group) ReceiveByFile(f *Field, field, file string, o Options) *Receiver {
	return g.receiver(f, func(ctx context.Context) (*link.Receiver, error) {
		return f.core.ReceiveByFile(ctx, field, file, o.core())
	})
}
