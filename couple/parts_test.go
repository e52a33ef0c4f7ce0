package couple_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// summed is a field of one model between ranks 0 and 1, which are model a, and rank 2, which is model b. Each rank of a has
// two of the points 0 to 3, and b has the points 0 to 2.
type summed struct {
	p    *acp.Process
	f    *couple.Field
	data []float64
}

func newSummed(p *acp.Process) (*summed, error) {
	name, ranks, held := "a", []acp.Rank{0, 1}, couple.Ranges{{First: 2 * int(p.Rank()), N: 2}}
	if p.Rank() == 2 {
		name, ranks, held = "b", []acp.Rank{2}, couple.Ranges{{N: 3}}
	}
	m, err := couple.NewModel(p, name, ranks)
	if err != nil {
		return nil, err
	}
	x := &summed{p: p, data: make([]float64, held[0].N)}
	x.f, err = couple.NewField(m, "f", x.data, held, 1)
	return x, err
}

// parts are the entries of rank 0 and of rank 1: both have parts of row 1.
var parts = [][]couple.Weight{
	{{Row: 0, Column: 0, Value: 1}, {Row: 1, Column: 1, Value: 10}},
	{{Row: 1, Column: 2, Value: 100}, {Row: 7, Column: 3, Value: 1}},
}

// TestWeightsOnBothSides: the values go through both matrices.
func TestWeightsOnBothSides(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		x, err := newSummed(p)
		if err != nil {
			return err
		}
		if p.Rank() < 2 {
			x.data[0], x.data[1] = float64(2*p.Rank()+1), float64(2*p.Rank()+2)
			out, err := x.f.SendWeighted(ctx, "b.f", parts[p.Rank()], couple.Options{})
			if err != nil {
				return err
			}
			return errors.Join(out.Send(ctx, 0), out.Close(ctx))
		}
		in, err := x.f.ReceiveWeighted(ctx, "a.f", []couple.Weight{{Row: 2, Column: 1, Value: 2}, {Row: 0, Column: 0, Value: 3}}, couple.Options{})
		if err != nil {
			return err
		}
		if err := errors.Join(in.Receive(ctx, 0), in.Close(ctx)); err != nil {
			return err
		}
		if x.data[0] != 3 || x.data[1] != 0 || x.data[2] != 2*(10*2+100*3) {
			return fmt.Errorf("the values are %v", x.data)
		}
		return nil
	})
}

// TestWatchedWeights: a watched link has weights as well, and the ranks that publish have parts of the sums.
func TestWatchedWeights(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		x, err := newSummed(p)
		if err != nil {
			return err
		}
		if p.Rank() < 2 {
			out, err := x.f.PublishWeighted("b.f", 2, parts[p.Rank()])
			if err != nil {
				return err
			}
			for step := 0; ; step++ {
				x.data[0], x.data[1] = float64(step), float64(step)
				if err := out.Send(step); err != nil {
					return err
				}
				if _, seen, err := p.GetValue("seen"); err != nil || seen > 0 {
					out.Close()
					return err
				}
			}
		}
		in, err := x.f.WatchWeighted(ctx, "a.f", []couple.Weight{{Row: 2, Column: 1, Value: 2}})
		if err != nil {
			return err
		}
		for range 3 {
			step, err := in.Next(ctx)
			if err != nil {
				return err
			}
			if want := float64(step * 2 * 110); step%2 != 0 || x.data[2] != want || x.data[0] != 0 {
				return fmt.Errorf("step %d brings %v, want %v at the end", step, x.data, want)
			}
		}
		_, err = p.PutValue("seen", nil)
		return errors.Join(err, in.Close(ctx))
	})
}

// TestSenderWeightMistakes: a sender that does not hold a column gets an error, and so do the other ranks. Ranks of
// one model agree whether they pass weights.
func TestSenderWeightMistakes(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		x, err := newSummed(p)
		if err != nil {
			return err
		}
		if p.Rank() == 2 {
			_, err := x.f.ReceiveFrom(ctx, "a.f", couple.Options{})
			err = refused(err, couple.ErrPartner, "process 1 of the sending side", "does not hold point 0, which has a column")
			_, err1 := x.f.ReceiveFrom(ctx, "a.f", couple.Options{})
			return errors.Join(err, refused(err1, couple.ErrDisagree, "weights"))
		}
		want := []error{couple.ErrPartner, couple.ErrWeights}[p.Rank()]
		_, err = x.f.SendWeighted(ctx, "b.f", []couple.Weight{{Row: 1, Column: 0, Value: 1}}, couple.Options{})
		err = refused(err, want, "does not hold point 0, which has a column")
		open := func() (*couple.Sender, error) { return x.f.SendTo(ctx, "b.f", couple.Options{}) }
		if p.Rank() == 1 {
			open = func() (*couple.Sender, error) { return x.f.SendWeighted(ctx, "b.f", nil, couple.Options{}) }
		}
		_, err1 := open()
		_, err2 := x.f.PublishWeighted("b.f", 1, []couple.Weight{{Row: 1, Column: 9, Value: 1}})
		return errors.Join(err, refused(err1, couple.ErrDisagree, "weights"), refused(err2, couple.ErrWeights, "point 9"))
	})
}
