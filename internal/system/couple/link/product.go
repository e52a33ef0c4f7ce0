package link

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// product is a field inside the library: its points are those of the other side, and its values lie in a buffer. A
// receiver multiplies the buffer with its matrix into the field of the program. A sender multiplies the field of the
// program into the buffer.
type product struct {
	target *Field
	matrix *matrix

	share meet.Share // of a file with weights
}

// weighted returns the field between the field of the program and the other side. If the weights are wrong, no link
// can have that field.
func (f *Field) weighted(weights []Weight, sd side.Side) *Field {
	m, err := newMatrix(weights, f.element, f.layouts[sd], &f.masked[sd], sd)
	return f.between(sd, m, err)
}

// between returns the field between the field of the program and the other side, with a matrix, or with the reason
// why there is none.
func (f *Field) between(sd side.Side, m *matrix, bad error) *Field {
	between := *f
	if bad != nil {
		// The other ranks of the link get the error when they have come.
		between.bad = fmt.Errorf("field %s: %w", f.Name(), bad)
		m = &matrix{}
	}
	between.product = &product{target: f, matrix: m}
	between.layouts[sd], between.masked[sd] = m.layout(), points.List{}
	between.grid = nil // the points are the points of the other side
	// 16 bytes suit the alignment of all types. Points that the other side has masked stay 0 in the buffer of a receiver, and
	// contribute nothing.
	buffer := make([]complex128, (len(m.points)*f.element.Size()+15)/16)
	between.data = Data{Base: unsafe.Pointer(unsafe.SliceData(buffer)), Owner: buffer}
	return &between
}

// multiply computes the values that a field sends, or the values of the program from the received values.
func (f *Field) multiply(sd side.Side) {
	switch p := f.product; {
	case p == nil:
	case sd == side.Sending:
		p.matrix.apply(f.data.Base, p.target.data.Base, f.element)
	default:
		p.matrix.apply(p.target.data.Base, f.data.Base, f.element)
	}
}

// ReceiveWeighted opens the link to the field from the field with a name. Each point that has a row is set to the sum
// over the row of weight times value of the sending field; other points keep their values. A rank passes the rows of
// its own points. Otherwise as ReceiveFrom. Fails also with ErrWeights.
func (f *Field) ReceiveWeighted(ctx context.Context, from string, weights []Weight, o Options) (*Receiver, error) {
	return f.weighted(weights, side.Receiving).ReceiveFrom(ctx, from, o)
}

// SendWeighted opens the link from the field to the field with a name. Each point of that field that has a row is set
// to the sum over the row of weight times value of this field; other points keep their values. A rank passes the
// columns of its own points, and the receivers add the sums of all senders. Otherwise as SendTo. Fails also with
// ErrWeights.
func (f *Field) SendWeighted(ctx context.Context, to string, weights []Weight, o Options) (*Sender, error) {
	return f.weighted(weights, side.Sending).SendTo(ctx, to, o)
}

// WatchWeighted is Watch with the weights of ReceiveWeighted.
func (f *Field) WatchWeighted(ctx context.Context, from string, weights []Weight) (*Watcher, error) {
	return f.weighted(weights, side.Receiving).Watch(ctx, from)
}

// PublishWeighted is PublishTo with the weights of SendWeighted. Fails also with ErrWeights.
func (f *Field) PublishWeighted(to string, every int, weights []Weight) (*Publisher, error) {
	return f.weighted(weights, side.Sending).PublishTo(to, every)
}
